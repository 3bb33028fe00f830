import { type Static, Type } from 'typebox';
import { Viewport } from '../kinds/session.ts';
import { Instant, Nullable, Uuid } from './common.ts';

/** What a viewer may do: watch, or act too. */
export const VIEWER_MODES = ['view', 'control'] as const;
export type ViewerMode = (typeof VIEWER_MODES)[number];
const ViewerMode = Type.Enum(VIEWER_MODES);

export const CreateTicketBody = Type.Union([Type.Object({ mode: Type.Optional(ViewerMode) }), Type.Null()]);
export type CreateTicketBody = Static<typeof CreateTicketBody>;

/** A viewer address that works once, within a minute. */
export const TicketView = Type.Object({ url: Type.String(), mode: ViewerMode, expiresAt: Instant });
export type TicketView = Static<typeof TicketView>;

/** What the page gets for its link or ticket: a credential for its memory, never for an address. */
export const ViewerGrant = Type.Object({
  credential: Type.String(),
  sessionId: Uuid,
  mode: ViewerMode,
  /** The screen the browser starts with, null when the pool decides. */
  viewport: Nullable(Viewport),
});
export type ViewerGrant = Static<typeof ViewerGrant>;

export const VIEWER_STATES = ['queued', 'starting', 'live', 'ended'] as const;

/** What the page shows beside the screen, asked for every two seconds. */
export const ViewerState = Type.Object({
  state: Type.Enum(VIEWER_STATES),
  /** Words for people: why it waits or why it ended. */
  reason: Nullable(Type.String()),
  queuePosition: Nullable(Type.Integer()),
  expiresAt: Nullable(Instant),
  idleDeadline: Nullable(Instant),
  run: Nullable(
    Type.Object({
      goal: Type.String(),
      state: Type.String(),
      steps: Type.Integer(),
      lastStep: Nullable(Type.String()),
    }),
  ),
});
export type ViewerState = Static<typeof ViewerState>;

export const SetViewportBody = Type.Object({
  viewport: Nullable(Viewport),
  viewer: Type.String({ minLength: 8, maxLength: 64, pattern: '^[A-Za-z0-9-]+$' }),
  takeover: Type.Optional(Type.Boolean()),
});
export type SetViewportBody = Static<typeof SetViewportBody>;
