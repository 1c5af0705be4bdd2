// `npm run screenshot`: makes the picture of the console that the READMEs show, test/console.png.
import { loadCatalogue } from '../../scripts/compile/inspect-catalogue.ts';
import { launchBrowser, openTab } from './browser.ts';
import { startLocalService } from './local-service.ts';

const NAME = 'functions.invocation-stats';
const KEY = 'sqk_readme-image-key';

const project = String(loadCatalogue('sql').resolve(NAME)?.parameters.project?.example);
const [service, browser] = await Promise.all([startLocalService(KEY), launchBrowser()]);
try {
  const { page } = await openTab(browser, service.url);
  await page.setViewportSize({ width: 1280, height: 1340 });
  await page.goto(`${service.url}/#${NAME}?project=${project}&interval=1day`);
  await page.fill('#key', KEY);
  await page.keyboard.press('Enter');
  await page.waitForSelector('#result table');
  // The pointer on the chart, so that it shows the values of one time.
  const box = await page.locator('.panel .u-over').first().boundingBox();
  await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) * 0.7, (box?.y ?? 0) + 40);
  await page.evaluate('document.activeElement.blur()');
  await page.screenshot({ path: process.argv[2] ?? 'test/console.png' });
} finally {
  await browser.close();
  await service.stop();
}
