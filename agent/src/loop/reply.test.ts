import { describe, expect, test } from 'vitest';
import { TOOLS } from '../tools/all.ts';
import { parseReply } from './reply.ts';

const click = { tool: 'click', ref: 's1e2' };
const full = { seen: 'a', plan: 'b', next: 'c', actions: [click] };
const actionsOf = (toolInputs: unknown[], text = '') => {
  const parsed = parseReply(toolInputs, text, TOOLS);
  return parsed.ok ? parsed.reply.actions : parsed.problem;
};
const CLICK = [{ tool: 'click', parameters: { ref: 's1e2' } }];

describe('a reply', () => {
  test.each<[string, unknown[], string]>([
    ['as asked for', [full], ''],
    ['whose arguments arrived as text', [JSON.stringify(full)], ''],
    ['whose list arrived as text', [{ ...full, actions: JSON.stringify([click]) }], ''],
    ['with one action instead of a list', [{ ...full, actions: click }], ''],
    ['written instead of called', [], `I will click.\n\`\`\`json\n${JSON.stringify(full)}\n\`\`\``],
    ['with parameters that do not exist', [{ ...full, actions: [{ ...click, why: 'because', text: null }] }], ''],
  ])('%s is understood', (_, inputs, text) => {
    expect(actionsOf(inputs, text)).toEqual(CLICK);
  });

  test('in several calls is put together', () => {
    expect(actionsOf([full, { actions: [{ tool: 'back' }] }])).toEqual([...CLICK, { tool: 'back', parameters: {} }]);
  });

  test('without thoughts is used all the same', () => {
    expect(parseReply([{ actions: [click] }], '', TOOLS)).toMatchObject({ ok: true, reply: { seen: '', next: '' } });
  });

  test('with too many actions is cut', () => {
    expect(actionsOf([{ actions: Array.from({ length: 20 }, () => click) }])).toHaveLength(8);
  });

  test('with a number as text is converted', () => {
    expect(actionsOf([{ actions: [{ tool: 'switch_tab', tab: '2' }] }])).toEqual([
      { tool: 'switch_tab', parameters: { tab: 2 } },
    ]);
  });

  test.each<[string, unknown[], string, RegExp]>([
    ['without a call', [], 'Hello', /Call the tool step/],
    ['without actions', [{ seen: 'x' }], '', /at least one action/],
    ['with an empty list', [{ actions: [] }], '', /at least one action/],
    ['cut off in the middle', ['{"seen": "a", "actions": [{"tool": "cl'], '', /Call the tool step/],
    ['with an unknown tool', [{ actions: [{ tool: 'fly' }] }], '', /no tool "fly"; the tools are open, click/],
    ['without a needed parameter', [{ actions: [{ tool: 'click' }] }], '', /Action click: parameters .*ref/],
    ['with words instead of actions', [{ actions: ['click it'] }], '', /JSON object such as/],
  ])('%s is refused with the defect named', (_, inputs, text, problem) => {
    expect(actionsOf(inputs, text)).toMatch(problem);
  });
});
