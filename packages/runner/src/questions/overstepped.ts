import { isInside } from './is-inside.ts'

const changes: ReadonlySet<string> = new Set(['edit', 'delete', 'move'])

type Told = Readonly<Record<string, unknown>>

/**
 * Whether a tool that an agent tells of has changed files of the workspace. What it wrote elsewhere is its own affair, such
 * as the plan that it keeps.
 */
export function hasChangedFiles({ kind, status, locations, rawInput }: Told, workspace: string): boolean {
  if (status !== 'completed' || typeof kind !== 'string' || !changes.has(kind)) return false
  const places = [...(Array.isArray(locations) ? locations : []), rawInput].flatMap(pathsIn)
  return places.length === 0 || places.some((place) => isInside(place, workspace))
}

function pathsIn(one: unknown): string[] {
  if (typeof one !== 'object' || one === null) return []
  const { path, file_path: filePath } = one as { path?: unknown; file_path?: unknown }
  return [path, filePath].filter((place) => typeof place === 'string')
}
