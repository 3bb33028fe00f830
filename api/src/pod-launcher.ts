import { type Static, Type } from 'typebox';
import { SandboxFacts } from './pod-door.ts';

/**
 * The launcher is PID 1 of the browser container: it starts Xvfb, the VNC server and Chromium, reaps, and answers on
 * `POD_DIR.launcherSocket` (HTTP over a Unix socket, only the supervisor's UID connects). It knows nothing of sessions.
 *
 *   GET  /facts    -> LauncherFacts
 *   POST /screen   {width, height} -> 204   sets the X screen by RandR, never above the size it started with
 *   POST /probe    {targets: ["host:port"]} -> {reached: ["host:port"]}   plain TCP connects from this container, 1 s each, for the isolation canary
 *   POST /stop     -> 204   ends Chromium gently, then everything
 *
 * Chromium is started once. When it, Xvfb or the VNC server ends, the launcher exits with code 70, 71 or 72
 * and writes one JSON line `{"exit": "...", "code": n, "signal": "..."}` to /dev/termination-log.
 */
export const LAUNCHER_EXIT = { chromium: 70, display: 71, vnc: 72 } as const;

export const LauncherFacts = Type.Object({
  chromium: Type.Object({ pid: Type.Integer(), running: Type.Boolean(), version: Type.String() }),
  display: Type.Object({ running: Type.Boolean(), width: Type.Integer(), height: Type.Integer() }),
  vnc: Type.Object({ running: Type.Boolean() }),
  /** Everything but `chromiumAdequate`, which the supervisor asks Chromium for; null until a renderer exists. */
  sandbox: Type.Union([Type.Omit(SandboxFacts, ['chromiumAdequate']), Type.Null()]),
});
export type LauncherFacts = Static<typeof LauncherFacts>;
