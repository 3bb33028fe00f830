declare module '*/novnc/core/rfb.js' {
  /** The part of noVNC's API that the page uses; the library itself is served unmodified. */
  export default class RFB extends EventTarget {
    constructor(target: HTMLElement, channel: WebSocket, options?: { shared?: boolean });
    viewOnly: boolean;
    scaleViewport: boolean;
    resizeSession: boolean;
    focusOnClick: boolean;
    background: string;
    qualityLevel: number;
    compressionLevel: number;
    focus(options?: { preventScroll?: boolean }): void;
    blur(): void;
    disconnect(): void;
  }
}
