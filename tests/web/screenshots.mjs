// Pictures of the page, for a look at it and for the documentation: wide and narrow, light and dark.
//
//     node tests/web/screenshots.mjs FOLDER
import fs from 'node:fs';
import path from 'node:path';
import { drawn, drop, idle, launch, openPage, sample, samples, shown } from './browser.mjs';

const folder = process.argv[2] ?? 'build/web/screenshots';
fs.mkdirSync(folder, { recursive: true });
const browser = await launch();
const wide = { width: 1280, height: 760 }, narrow = { width: 360, height: 720 };

async function shoot(name, options, act) {
    const { page, context, problems } = await openPage(browser, undefined, options);
    await act(page);
    await page.screenshot({ path: path.join(folder, `${name}.png`) });
    if (problems.length > 0) console.log(`${name}: ${problems.join('\n')}`);
    await context.close();
}

const kobold = fs.readdirSync(sample('kobold'), { recursive: true }).map((name) => sample(`kobold/${name}`)).filter((file) => fs.statSync(file).isFile()), files = [...kobold, ...samples()];
async function showKobold(page) {
    await drop(page, files);
    await idle(page);
    await page.click('.card[title="kobold.mdx"]');
    await shown(page, 'kobold.mdx');
    await page.evaluate(() => {
        setClip(view.info.clips.findIndex((clip) => clip.name.startsWith('Walk')));
        seek(0.3);
        setPlaying(false);
        toggle('ground');
        toggle('shadow');
    });
    await drawn(page);
    await drawn(page);
}

for (const colorScheme of ['light', 'dark']) {
    await shoot(`wide_${colorScheme}`, { viewport: wide, colorScheme }, showKobold);
    await shoot(`grid_${colorScheme}`, { viewport: wide, colorScheme }, async (page) => {
        await drop(page, [...files, { name: 'broken.mdx', data: Buffer.from('MDLXVERS') }]);
        await idle(page);
    });
    await shoot(`narrow_${colorScheme}`, { viewport: narrow, colorScheme, deviceScaleFactor: 2, hasTouch: true, isMobile: true }, showKobold);
    await shoot(`narrow_grid_${colorScheme}`, { viewport: narrow, colorScheme, deviceScaleFactor: 2, hasTouch: true, isMobile: true }, async (page) => {
        await drop(page, [...files, { name: 'broken.mdx', data: Buffer.from('MDLXVERS') }]);
        await idle(page);
    });
    await shoot(`empty_${colorScheme}`, { viewport: colorScheme === 'light' ? wide : narrow, colorScheme }, (page) => page.waitForTimeout(500));
}
await shoot('bones_dark', { viewport: wide, colorScheme: 'dark' }, async (page) => {
    await showKobold(page);
    await page.click('#tab-tree');
    await page.evaluate(() => { toggle('bones'); select(view.info.nodes.findIndex((node) => node.flags & 1 && /head|chest|spine/i.test(node.name))); toggle('weights'); });
    await drawn(page);
});
await shoot('materials_light', { viewport: wide, colorScheme: 'light' }, async (page) => {
    await showKobold(page);
    await page.click('#tab-materials');
    await page.waitForTimeout(1500);
});
for (const tab of ['tree', 'warnings', 'info']) {
    await shoot(`${tab}_light`, { viewport: wide, colorScheme: 'light' }, async (page) => {
        await drop(page, [sample('hound.mdx')]);
        await shown(page, 'hound.mdx');
        await page.focus('#tab-clips');
        await page.keyboard.press('Tab');
        await page.click(`#tab-${tab}`);
        await page.keyboard.press('Tab');
        await drawn(page);
    });
}
await shoot('keys_dark', { viewport: wide, colorScheme: 'dark' }, (page) => page.click('#help'));
await shoot('error_light', { viewport: wide, colorScheme: 'light' }, async (page) => {
    await drop(page, [{ name: 'broken.mdx', data: Buffer.from('MDLXVERS') }, sample('arm.glb')]);
    await idle(page);
    await page.click('.card[title="broken.mdx"]');
    await page.waitForTimeout(500);
});
await shoot('export_narrow', { viewport: narrow, colorScheme: 'light', hasTouch: true, isMobile: true }, async (page) => {
    await showKobold(page);
    await page.click('#tab-export');
    await page.click('button[data-save=".w3d"]');
    await page.waitForTimeout(2500);
});
await browser.close();
