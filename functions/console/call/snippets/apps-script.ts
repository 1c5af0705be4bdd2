// Writes a call for Google Apps Script, as a function of a spreadsheet.
import { pairsOf } from '../../service.ts';
import { type Call, type Language, headerValue, jsonText } from './snippet.ts';

export const appsScript: Language = {
  id: 'apps-script',
  label: 'Apps Script',
  hint: ({ noun, variable }) =>
    `For Google Sheets: Extensions, Apps Script; then \`=savedQuery()\` in a cell. Store the ${noun} under Project Settings, Script properties, as \`${variable}\`.`,
  write: (call) => [{ text: textOf(call) }],
};

function textOf({ origin, endpoint, parameters, credential }: Call): string {
  const pairs = pairsOf(parameters).map(
    ([name, value]) => `    [${jsonText(name)}, ${jsonText(value)}],\n`,
  );
  const columns = endpoint.row.map(({ name }) => jsonText(name)).join(', ');
  const isFlat = endpoint.row.every(
    ({ type, mode }) => mode !== 'REPEATED' && type !== 'RECORD' && type !== 'JSON',
  );
  const cell = isFlat
    ? 'row[name]'
    : 'row[name] instanceof Object ? JSON.stringify(row[name]) : row[name]';
  const { noun, variable, header } = credential;
  return `function savedQuery() {
  const ${noun} = PropertiesService.getScriptProperties().getProperty("${variable}");
  const query = [
${pairs.join('')}  ].map((pair) => pair.map(encodeURIComponent).join("=")).join("&");
  const response = UrlFetchApp.fetch(${jsonText(`${origin}${endpoint.path}?`)} + query, {
    // A cell waits for 30 s at most: 202 tells when to try again.
    headers: { "${header}": ${headerValue(credential, noun)}, Prefer: "wait=20" },
    muteHttpExceptions: true,
  });
  if (response.getResponseCode() !== 200) throw new Error(response.getContentText());
  const rows = JSON.parse(response.getContentText()).result;
  const columns = [${columns}];
  return [columns, ...rows.map((row) => columns.map((name) => ${cell}))];
}`;
}
