/** Moments at which the end of the process would hurt most; tests end it there. */
export type ArchivePoint = 'half-written' | 'written' | 'exported' | 'noted' | 'deleted-some' | 'deleted-all';

/** Is told each of these moments. */
export type ReachArchivePoint = (point: ArchivePoint) => void;
