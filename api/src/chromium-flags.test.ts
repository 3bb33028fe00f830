import { describe, expect, test } from 'vitest';
import { isAllowedFlag } from './chromium-flags.ts';

describe('a flag of a pool', () => {
  test.each([
    '--mute-audio',
    '--force-device-scale-factor=2',
    '--force-device-scale-factor=1.25',
    '--js-flags=--max-old-space-size=2048',
    '--user-agent=Mozilla/5.0 (X11; Linux x86_64)',
    '--blink-settings=imagesEnabled=false',
  ])('%s is allowed', (flag) => {
    expect(isAllowedFlag(flag)).toBe(true);
  });

  test.each([
    '--no-sandbox',
    '--disable-setuid-sandbox',
    '--disable-seccomp-filter-sandbox',
    '--single-process',
    '--no-zygote',
    '--renderer-cmd-prefix=/bin/sh -c id;',
    '--gpu-launcher=/bin/sh',
    '--utility-cmd-prefix=/bin/sh',
    '--proxy-server=direct://',
    '--proxy-bypass-list=*',
    '--proxy-pac-url=http://evil.example/p.pac',
    '--no-proxy-server',
    '--proxy-auto-detect',
    '--host-resolver-rules=MAP * 127.0.0.1',
    '--remote-debugging-address=0.0.0.0',
    '--remote-debugging-port=9333',
    '--remote-debugging-pipe',
    '--remote-allow-origins=*',
    '--load-extension=/tmp',
    '--disable-web-security',
    '--allow-file-access-from-files',
    '--ignore-certificate-errors',
    '--enable-features=X',
    '--disable-features=X',
    '--js-flags=--allow-natives-syntax',
    '--js-flags=--max-old-space-size=64 --expose-gc',
    '--user-agent=a\nb',
    '--user-data-dir=/session',
    '--mute-audio --no-sandbox',
    '--mute-audio=1',
    '-mute-audio',
    'mute-audio',
    'http://10.0.0.1/',
    '',
  ])('%s is not', (flag) => {
    expect(isAllowedFlag(flag)).toBe(false);
  });
});
