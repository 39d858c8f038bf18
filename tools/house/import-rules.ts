import { builtinModules } from 'node:module'
import path from 'node:path'
import { type Import, importsOf } from './imports.ts'
import { isTest, placeOf, type Source } from './source.ts'
import { type House, isPure } from './table.ts'

/** What is wrong with the imports of a file, each with what to do instead. */
export function importComplaints(source: Source, house: House): string[] {
  const place = placeOf(source)
  if (place === null) return []
  const row = house.packages[place.package]
  if (row === undefined) {
    return [
      `${source.path}: package ${place.package} is not in the table of tools/house.test.ts: give it a row.`,
    ]
  }
  return importsOf(source).flatMap((used) => {
    const problem = problemWith(used, source, place, house)
    return problem === null ? [] : [`${source.path}:${used.line} imports ${used.from}. ${problem}`]
  })
}

type Place = NonNullable<ReturnType<typeof placeOf>>

function problemWith(used: Import, source: Source, place: Place, house: House): string | null {
  const { from } = used
  if (from.startsWith('.')) return relativeProblem(used, source, place, house)
  if (from.startsWith('node:')) return nodeProblem(used, source, place, house)
  if (builtinModules.includes(from)) return `Write node:${from}, so that it cannot be taken for a library.`
  if (from === 'farhand' || from.startsWith('@farhand/')) return packageProblem(used, source, place, house)
  return libraryProblem(used, source, place, house)
}

function nodeProblem({ from, names }: Import, source: Source, place: Place, house: House): string | null {
  if (isTest(source)) return null
  const isCalculation = names.length > 0 && names.every((name) => house.pureNames[from]?.includes(name))
  if (isPure(source.path, house) && !isCalculation)
    return 'This file is listed as pure: take what it needs as a value.'
  if (house.packages[place.package]?.runsIn === 'Node') return null
  return `${place.package} also runs in browsers: use a web standard, or take what it needs as a parameter.`
}

function packageProblem({ from }: Import, source: Source, place: Place, house: House): string | null {
  const [, name, file] = /^(?:@farhand\/)?([^/]+)(?:\/(.+))?$/.exec(from) ?? []
  if (name === undefined || name === place.package) return 'Inside a package, import by relative path.'
  if (file !== undefined && /(^|\/)main$/.test(file)) return 'A main.ts is started, never imported.'
  const row = house.packages[place.package]
  const allowed = [...(row?.uses ?? []), ...(isTest(source) ? house.inTests.packages : [])]
  if (allowed.includes(name)) return null
  return `The table lets ${place.package} use ${allowed.join(', ') || 'no other package'}: move the code up, or ask for it as a parameter.`
}

function libraryProblem({ from }: Import, source: Source, place: Place, house: House): string | null {
  const [first, second] = from.split('/')
  const library = from.startsWith('@') ? `${first}/${second}` : (first ?? from)
  const allowed = [...(house.packages[place.package]?.libraries ?? [])]
  if (isTest(source) || place.package === 'testkit' || place.package === 'e2e')
    allowed.push(...house.inTests.libraries)
  if (allowed.includes(library)) return null
  return `${place.package} does without ${library} so far: if it is worth its weight, add it to the table.`
}

function relativeProblem(used: Import, source: Source, place: Place, house: House): string | null {
  const target = path.posix.join(path.posix.dirname(source.path), used.from)
  if (!/\.(ts|tsx|json|css)$/.test(target)) return 'Write the file name whole, with its .ts.'
  if (!target.startsWith(`packages/${place.package}/`))
    return 'Another package is imported as @farhand/<package>/<file>.'
  if (/\/main\.ts$/.test(target)) return 'A main.ts is started, never imported.'
  if (isTest(source)) return null
  if (isTest({ path: target, text: '' })) return 'Tests are not imported by what they test.'
  if (isPure(source.path, house) && !used.typeOnly && !isPure(target, house)) {
    return 'This file is listed as pure, that one is not: list it too, or import types only.'
  }
  return place.package === 'hub'
    ? roomProblem(place.room, placeOf({ path: target, text: '' }), target, house)
    : null
}

function roomProblem(room: string | null, to: Place | null, target: string, house: House): string | null {
  // Files outside the rooms put the hub together and may see every room.
  if (room === null || to === null || to.room === room) return null
  if (to.room === null) {
    return house.seenByRooms.includes(target)
      ? null
      : 'A room does not reach for what puts the rooms together: take it as a parameter.'
  }
  const floor = house.rooms[room]
  if (floor === undefined) return `Room ${room} is not in the table of tools/house.test.ts: give it a row.`
  if (floor.includes(to.room)) return null
  return `The table lets ${room} use ${floor.join(', ') || 'no other room'}: let a room above bring the two together.`
}
