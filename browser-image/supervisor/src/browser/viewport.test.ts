import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { acceptLanguage } from './page-overrides.ts';
import { SIZE_LEASE_MS, decideLease } from './size-lease.ts';
import { createViewportOwner, layoutFor } from './viewport-owner.ts';

const MAX = { width: 1920, height: 1080 };

describe('where a page goes on the screen', () => {
  test.each([
    ['a page that fits stands below the bars', { width: 1280, height: 720 }, { width: 1280, height: 820 }, 1],
    ['a phone is small', { width: 390, height: 844 }, { width: 390, height: 944 }, 1],
    ['a page as high as the screen is drawn smaller', { width: 1920, height: 1080 }, MAX, 980 / 1080],
    ['a page that is wider than the screen too', { width: 3840, height: 1000 }, { width: 1920, height: 1080 }, 0.5],
  ])('%s', (_, wanted, window, scale) => {
    expect(layoutFor(wanted, MAX, 100)).toEqual({ window, page: { ...wanted, scale } });
  });

  test('without a wish the window takes all of the screen', () => {
    expect(layoutFor(null, MAX, 100)).toEqual({ window: MAX, page: null });
  });
});

describe('the owner of the viewport', () => {
  function setUp(options: { screenFails?: boolean } = {}) {
    const done: string[] = [];
    const owner = createViewportOwner({
      max: MAX,
      barsHeight: () => 100,
      failed: (words) => done.push(words),
      actions: {
        async setScreen({ width, height }) {
          if (options.screenFails) throw new Error('no');
          done.push(`screen ${width}x${height}`);
        },
        async setWindow(size) {
          done.push(`window ${size.width}x${size.height}`);
          return { width: Math.max(size.width, 500), height: size.height };
        },
        async setPages(viewport) {
          await delay(5);
          done.push(viewport ? `pages ${viewport.width}x${viewport.height}` : 'pages default');
          return viewport ?? MAX;
        },
      },
    });
    return { owner, done };
  }

  test('sets screen, window and pages, and widens the screen to the least window', async () => {
    const { owner, done } = setUp();
    expect(await owner.set({ width: 390, height: 844 })).toMatchObject({ width: 390, height: 844 });
    expect(done.toSorted()).toEqual(['pages 390x844', 'screen 390x944', 'screen 500x944', 'window 390x944']);
  });

  test('applies only the newest of many sizes that wait, and answers all with it', async () => {
    const { owner, done } = setUp();
    const sizes = [600, 700, 800, 900].map((width) => owner.set({ width, height: 500 }));
    const widths = (await Promise.all(sizes)).map(({ width }) => width);
    expect(widths).toEqual([600, 900, 900, 900]);
    expect(done.filter((step) => step.startsWith('pages'))).toEqual(['pages 600x500', 'pages 900x500']);
  });

  test('still sizes the page when the screen cannot be set', async () => {
    const { owner, done } = setUp({ screenFails: true });
    expect(await owner.set({ width: 800, height: 600 })).toMatchObject({ width: 800 });
    expect(done).toContain('the screen could not be fitted to the page');
  });

  test('leaves a window alone that has the size already, until a client may have changed it', async () => {
    const { owner, done } = setUp();
    await owner.set({ width: 1920, height: 1080 });
    expect(done).toEqual(['pages 1920x1080']);
    await owner.reapply();
    expect(done).toContain('window 1920x1080');
  });

  test('applies nothing again that nobody has set', async () => {
    const { owner, done } = setUp();
    await owner.reapply();
    expect(done).toEqual([]);
    await owner.set({ width: 800, height: 600 });
    await owner.reapply();
    expect(done.filter((step) => step.startsWith('pages'))).toHaveLength(2);
  });
});

describe('the lease of the size', () => {
  const lease = { viewer: 'anna', until: 10_000 };
  test.each([
    ['is free for the first', undefined, { viewer: 'bert', takeover: false }, 0, 'bert'],
    ['is renewed by its holder', lease, { viewer: 'anna', takeover: false }, 5000, 'anna'],
    ['is not given to another', lease, { viewer: 'bert', takeover: false }, 9999, undefined],
    ['is given when it is over', lease, { viewer: 'bert', takeover: false }, 10_000, 'bert'],
    ['is taken over on request', lease, { viewer: 'bert', takeover: true }, 5000, 'bert'],
  ])('%s', (_, held, ask, now, viewer) => {
    expect(decideLease(held, ask, now)).toEqual(
      viewer === undefined ? undefined : { viewer, until: now + SIZE_LEASE_MS },
    );
  });
});

test.each([
  ['de-DE', 'de-DE,de'],
  ['en', 'en'],
  ['zh-Hant-TW', 'zh-Hant-TW,zh'],
])('the languages of %s are %s', (locale, languages) => {
  expect(acceptLanguage(locale)).toBe(languages);
});
