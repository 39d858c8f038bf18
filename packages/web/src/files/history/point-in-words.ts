import type { Point } from './run-files.ts'

const longest = 48

/** The name of a point to compare with; unique in its list. */
export function pointInWords(point: Point): string {
  if (point.is === 'beginning') return 'The beginning'
  if (point.is === 'checkpoint') {
    const words = point.number ? `Checkpoint ${point.number}` : `Checkpoint at event ${point.eventId}`
    return point.isTakenBack ? `${words} (rewound)` : words
  }
  const line = point.text.trim().split('\n')[0] || 'a message'
  const said = line.length > longest ? `${line.slice(0, longest - 1)}…` : line
  return `Before message ${point.number}: “${said}”${point.isTakenBack ? ' (rewound)' : ''}`
}
