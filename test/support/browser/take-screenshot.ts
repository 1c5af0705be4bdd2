// `npm run screenshot`: takes test/console.png, the picture of the console in the READMEs.
import { launchBrowser, openTab, signIn } from './browser.ts';
import { startLocalService } from '../service/local-service.ts';

const KEY = 'sqk_readme-image-key';

const [service, browser] = await Promise.all([startLocalService(KEY), launchBrowser()]);
try {
  const { page } = await openTab(browser, service.url, { viewport: { width: 1440, height: 900 } });
  // What the page shows after the key, with nothing typed.
  await signIn(page, service.url, KEY);
  await page.waitForSelector('#result table');
  // From the cache, as most rows come.
  await page.reload();
  await page.waitForSelector('#result table');
  // The pointer on the chart, so that it shows the values of one time.
  await page.locator('.plot').first().hover();
  await page.evaluate('document.activeElement.blur()');
  await page.screenshot({ path: process.argv[2] ?? 'test/console.png' });
} finally {
  await browser.close();
  await service.stop();
}
