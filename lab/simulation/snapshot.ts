import type { PGlite } from '@electric-sql/pglite';

/** Part of the memory that is not all zeros. */
interface Page {
  offset: number;
  bytes: Uint8Array;
}

/** A file or folder of Emscripten's file system in memory, as much of it as changes. */
interface FsNode {
  name: string;
  parent: FsNode;
  name_next?: FsNode;
  mode: number;
  usedBytes?: number;
  contents?: Uint8Array | Record<string, FsNode> | null | undefined;
  atime: number;
  mtime: number;
  ctime: number;
}

interface FsStream {
  node: FsNode;
  shared: { position: number; flags: number };
}

type DeviceRead = (stream: FsStream, buffer: Uint8Array, offset: number, length: number) => number;

/** What PGlite's module shows of itself, and its types do not. */
interface Machine {
  HEAPU8: Uint8Array;
  FS: {
    root: FsNode;
    /** A hash table: its length is part of the hash. */
    nameTable: (FsNode | null | undefined)[];
    streams: (FsStream | null | undefined)[];
    nextInode: number;
    currentPath: string;
    isDir(mode: number): boolean;
    isFile(mode: number): boolean;
    lookupPath(path: string): { node: { rdev: number } };
    getDevice(number: number): { stream_ops: { read: DeviceRead } };
  };
}

/** All that a server in this process is: its memory and its files. */
export interface Snapshot {
  pages: readonly Page[];
  /** Puts the files back. */
  restoreFiles(): void;
}

const PAGE_BYTES = 65_536;
const FIELDS = ['name', 'parent', 'name_next', 'mode', 'usedBytes', 'atime', 'mtime', 'ctime'] as const;

function machineOf(database: PGlite): Machine {
  const shown: { Module?: object } = database;
  return shown.Module as Machine;
}

/** Lets each random byte be drawn when it is asked for: of those in Emscripten's own store a snapshot knows nothing. */
export function drawEachByte(database: PGlite): void {
  const { FS } = machineOf(database);
  for (const path of ['/dev/random', '/dev/urandom']) {
    FS.getDevice(FS.lookupPath(path).node.rdev).stream_ops.read = (_, buffer, offset, length) => {
      const bytes = new Uint8Array(length);
      globalThis.crypto.getRandomValues(bytes);
      buffer.set(bytes, offset);
      return length;
    };
  }
}

/** Keeps the whole state of a server that does nothing now: a tenth of a second of CPU. */
export function takeSnapshot(database: PGlite): Snapshot {
  const { HEAPU8: memory, FS } = machineOf(database);
  const pages: Page[] = [];
  for (let offset = 0; offset < memory.length; offset += PAGE_BYTES) {
    const words = new Uint32Array(memory.buffer, memory.byteOffset + offset, PAGE_BYTES / 4);
    if (!isZero(words)) pages.push({ offset, bytes: memory.slice(offset, offset + PAGE_BYTES) });
  }
  return { pages, restoreFiles: keepFiles(FS) };
}

/** Makes a server what it was, at whatever statement it is. */
export function restoreSnapshot(database: PGlite, { pages, restoreFiles }: Snapshot): void {
  const { HEAPU8: memory } = machineOf(database);
  memory.fill(0);
  for (const { offset, bytes } of pages) memory.set(bytes, offset);
  restoreFiles();
}

function isZero(words: Uint32Array): boolean {
  for (const word of words) if (word !== 0) return false;
  return true;
}

function keepFiles(files: Machine['FS']): () => void {
  const kept = new Map<FsNode, Pick<FsNode, (typeof FIELDS)[number] | 'contents'>>();
  const visit = (node: FsNode): void => {
    if (kept.has(node)) return;
    kept.set(node, { ...node, contents: copyOf(files, node) });
    if (files.isDir(node.mode)) for (const each of Object.values(node.contents ?? {})) visit(each as FsNode);
  };
  visit(files.root);
  const { nextInode, currentPath } = files;
  const names = [...files.nameTable];
  const streams = [...files.streams].map((stream) => ({ stream, ...(stream && stateOf(stream)) }));
  return () => {
    for (const [node, before] of kept) {
      for (const field of FIELDS) Object.assign(node, { [field]: before[field] });
      if (files.isDir(node.mode) || files.isFile(node.mode))
        node.contents = copyOf(files, { ...node, contents: before.contents });
    }
    for (const [place, node] of names.entries()) files.nameTable[place] = node;
    files.streams.length = streams.length;
    for (const [place, { stream, node, position, flags }] of streams.entries()) {
      files.streams[place] = stream;
      if (!stream) continue;
      Object.assign(stream, { node });
      Object.assign(stream.shared, { position, flags });
    }
    Object.assign(files, { nextInode, currentPath });
  };
}

const stateOf = ({ node, shared: { position, flags } }: FsStream) => ({ node, position, flags });

function copyOf(files: Machine['FS'], { mode, contents, usedBytes }: FsNode): FsNode['contents'] {
  if (files.isDir(mode)) return { ...(contents as Record<string, FsNode>) };
  if (files.isFile(mode) && contents) return (contents as Uint8Array).slice(0, usedBytes);
  return contents;
}
