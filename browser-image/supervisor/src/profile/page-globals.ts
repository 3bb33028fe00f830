/** What functions that run inside a page use of it. Types alone: nothing of this exists there. */

export interface WebStorage {
  length: number;
  key(index: number): string | null;
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
}

export interface Request<Result = unknown> {
  result: Result;
  error: unknown;
  addEventListener(type: 'success' | 'error' | 'blocked' | 'upgradeneeded', listener: () => void): void;
}

interface Index {
  name: string;
  keyPath: string | string[];
  multiEntry: boolean;
  unique: boolean;
}

export interface Store {
  name: string;
  keyPath: string | string[] | null;
  autoIncrement: boolean;
  indexNames: ArrayLike<string>;
  index(name: string): Index;
  getAllKeys(): Request<unknown[]>;
  get(key: unknown): Request;
  put(value: unknown, key?: unknown): Request;
  createIndex(name: string, keyPath: string | string[], options: { multiEntry: boolean; unique: boolean }): unknown;
}

interface Transaction {
  objectStore(name: string): Store;
  abort(): void;
  addEventListener(type: 'complete' | 'abort', listener: () => void): void;
}

interface Database {
  version: number;
  objectStoreNames: ArrayLike<string>;
  transaction(names: string[], mode?: 'readwrite'): Transaction;
  createObjectStore(name: string, options: { keyPath: string | string[] | null; autoIncrement: boolean }): Store;
  addEventListener(type: 'versionchange', listener: () => void): void;
  close(): void;
}

export interface OpenRequest extends Request<Database> {
  transaction: Transaction | null;
}

export interface Page {
  localStorage: WebStorage;
  sessionStorage: WebStorage;
  location: { origin: string };
  indexedDB: {
    databases(): Promise<{ name?: string; version?: number }[]>;
    open(name: string, version?: number): OpenRequest;
  };
  atob(text: string): string;
  btoa(text: string): string;
  setTimeout(task: () => void, ms: number): unknown;
}
