import { answerDialog } from './answer-dialog.ts';
import { back } from './back.ts';
import { click } from './click.ts';
import { done } from './done.ts';
import { extract } from './extract.ts';
import { find } from './find.ts';
import { open } from './open.ts';
import { press } from './press.ts';
import { scroll } from './scroll.ts';
import { select } from './select.ts';
import { switchTab } from './switch-tab.ts';
import type { Tool } from './tool.ts';
import { type } from './type.ts';
import { waitFor } from './wait-for.ts';

export const TOOLS: readonly Tool[] = [
  open,
  click,
  type,
  select,
  press,
  scroll,
  back,
  find,
  extract,
  waitFor,
  switchTab,
  answerDialog,
  done,
];
