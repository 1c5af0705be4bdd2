// Writes how an agent calls the endpoint: the configuration of its client, and the message that it sends.
import { shellQuote } from '../../shell-quote.ts';
import { isList } from '../../service.ts';
import { type Call, type Language, jsonText } from './snippet.ts';

export const mcp: Language = {
  id: 'mcp',
  label: 'MCP',
  hint: ({ noun, variable }) =>
    `Works if the service runs with \`MCP=on\`. The configuration is the \`.mcp.json\` of Claude Code, which reads the ${noun} from the environment variable \`${variable}\`; other clients use the same address and header.`,
  write: (call) => [
    { title: 'Configuration of a client', text: configuration(call) },
    { title: 'The call, for bash and zsh', text: toolCall(call) },
  ],
};

function configuration({ origin, credential: { header, scheme, variable } }: Call): string {
  return `{
  "mcpServers": {
    "saved-queries": {
      "type": "http",
      "url": ${jsonText(`${origin}/mcp`)},
      "headers": { "${header}": "${scheme}\${${variable}}" }
    }
  }
}`;
}

function toolCall(call: Call): string {
  const { origin, endpoint, credential } = call;
  const { header, scheme, variable } = credential;
  // Clients refuse names of tools that have a dot.
  const name = jsonText(endpoint.name.replace('.', '_'));
  const message = `{
  "jsonrpc": "2.0", "id": 1, "method": "tools/call",
  "params": { "name": ${name}, "arguments": {${argumentsOf(call)}} }
}`;
  return `curl -H "${header}: ${scheme}$${variable}" -H 'Content-Type: application/json' \\
  -H 'Accept: application/json, text/event-stream' \\
  --data-raw ${shellQuote(message)} \\
  ${shellQuote(`${origin}/mcp`)}`;
}

/** As texts, which keep every digit. An empty list contains no value, unlike in a query string, where it contains an empty one. */
function argumentsOf({ endpoint, parameters }: Call): string {
  const fields = Object.entries(parameters).map(([name, values]) => {
    const declared = endpoint.parameters.find((parameter) => parameter.name === name);
    const texts = values.filter((value) => value !== '').map(jsonText);
    const isArray = declared === undefined ? values.length !== 1 : isList(declared);
    return `${jsonText(name)}: ${isArray ? `[${texts.join(', ')}]` : (texts[0] ?? '""')}`;
  });
  return fields.length === 0 ? '' : ` ${fields.join(', ')} `;
}
