import { describe, expect, test } from 'vitest';
import { formatDuration, parseDuration } from './duration.ts';
import { type ModelsFile, resolveModel } from './models.ts';
import { formatUsd, parseUsd } from './money.ts';
import { safeText } from './safe-text.ts';

describe('durations', () => {
  test.each([
    ['0', 0],
    ['250ms', 250],
    ['90s', 90_000],
    ['1h30m', 5_400_000],
    ['10m', 600_000],
  ])('%s is %i ms and back', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
    expect(parseDuration(formatDuration(milliseconds))).toBe(milliseconds);
  });

  test.each(['', '10', '-5m', '1.5h', 'm', '10 m', '5d'])('"%s" is refused with the text named', (text) => {
    expect(() => parseDuration(text)).toThrow(`"${text}" is not a duration`);
  });
});

describe('money', () => {
  test.each([
    ['0.25', 250_000, '0.250000'],
    [0.1, 100_000, '0.100000'],
    ['12', 12_000_000, '12.000000'],
    ['0.000001', 1, '0.000001'],
    [1e-7, 0, '0.000000'],
  ])('%s is %i micro-USD and prints as %s', (value, micro, text) => {
    expect(parseUsd(value)).toBe(micro);
    expect(formatUsd(micro)).toBe(text);
  });

  test.each(['', '-1', '1e3', '0.1234567', 'free', '1,5'])('"%s" is refused', (value) => {
    expect(() => parseUsd(value)).toThrow('is not an amount of USD');
  });

  test('every printed amount follows the decimal pattern that the Python SDK checks', () => {
    for (const micro of [0, 1, 999_999, 1_000_000, 123_456_789_012]) {
      expect(formatUsd(micro)).toMatch(/^(?!^[-+.]*$)[+-]?0*\d*\.?\d*$/);
    }
  });
});

describe('safe text', () => {
  test.each([
    ['an escape sequence', 'a\u001b[31mred', 'a[31mred'],
    ['bidirectional overrides', 'abc\u202egpj.exe', 'abcgpj.exe'],
    ['newlines', 'one\n\ttwo', 'one two'],
    ['a lone surrogate', 'x\ud800y', 'x\ufffdy'],
  ])('%s is made harmless', (_name, dirty, clean) => {
    expect(safeText(dirty)).toBe(clean);
  });

  test('long text is cut with an ellipsis', () => {
    expect(safeText('abcdef', 4)).toBe('abc…');
  });
});

describe('models', () => {
  const entry = {
    provider: 'openai' as const,
    contextLimit: 1000,
    price: { input: '0', cachedInput: '0', output: '0' },
  };
  const file: ModelsFile = {
    default: 'small',
    aliases: { 'bu-max': 'big', broken: 'gone' },
    models: [
      { ...entry, name: 'small', model: 's' },
      { ...entry, name: 'big', model: 'b' },
    ],
  };
  test.each([
    ['no name gives the default', null, 'small'],
    ['a name gives its entry', 'big', 'big'],
    ['an alias gives what it stands for', 'bu-max', 'big'],
    ['an unknown name gives nothing', 'nope', undefined],
    ['an alias of nothing gives nothing', 'broken', undefined],
  ])('%s', (_name, requested, expected) => {
    expect(resolveModel(file, requested)?.name).toBe(expected);
  });
});
