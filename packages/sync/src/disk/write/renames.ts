import { linkSync, lstatSync, readlinkSync, renameSync, symlinkSync, unlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import process from 'node:process'
import { codeOf } from '../workspace/system-code.ts'

/** Null when it was done, else the system's error code, such as ENOENT. */
export type Trouble = string | null

/** Ways to rename a file that lose nothing, even if another program writes there at the same moment. */
export type Renames = {
  /** Two files trade their names in one step; null where the system has no such call. */
  readonly exchange: ((one: string, other: string) => Trouble) | null
  /** Moves a file to a name that is free: EEXIST if it is not. */
  readonly toFreeName: (from: string, to: string) => Trouble
}

type Call = (from: string, to: string, flags: number) => number
type Native = { call: Call; errno: () => number; exchangeFlag: number; freeNameFlag: number }

const require = createRequire(import.meta.url)
const here = -100
let loaded: Renames | undefined

/** What this system can do, found out at the first call: that takes 10 ms, which no start has to wait for. */
export function systemRenames(): Renames {
  loaded ??= renamesOver(nativeRename())
  return loaded
}

/** Whether this trouble means that the file system has no such call, not that it failed. */
export const isUnsupported = (trouble: Trouble) =>
  trouble === 'EINVAL' || trouble === 'ENOSYS' || trouble === 'ENOTSUP' || trouble === 'EOPNOTSUPP'

/** What every system can do. A file that appears at the very moment of a replacement is lost to it. */
export const plainRenames: Renames = { exchange: null, toFreeName: linkToFreeName }

function renamesOver(native: Native | null): Renames {
  if (!native) return plainRenames
  const names = new Map(Object.entries(constants.errno).map(([name, number]) => [number, name]))
  const rename = (from: string, to: string, flag: number): Trouble =>
    native.call(from, to, flag) === 0 ? null : (names.get(native.errno()) ?? 'EIO')
  return {
    exchange: (one, other) => rename(one, other, native.exchangeFlag),
    toFreeName: (from, to) => {
      const trouble = rename(from, to, native.freeNameFlag)
      return isUnsupported(trouble) ? linkToFreeName(from, to) : trouble
    },
  }
}

function nativeRename(): Native | null {
  try {
    const koffi = require('koffi') as typeof import('koffi')
    const errno = () => koffi.errno()
    if (process.platform === 'linux') {
      const call = koffi
        .load(null)
        .func('int renameat2(int, const char*, int, const char*, unsigned int)') as unknown as (
        ...given: [number, string, number, string, number]
      ) => number
      return {
        call: (from, to, flags) => call(here, from, here, to, flags),
        errno,
        exchangeFlag: 2,
        freeNameFlag: 1,
      }
    }
    if (process.platform === 'darwin') {
      const call = koffi.load(null).func('int renamex_np(const char*, const char*, unsigned int)')
      return { call: call as unknown as Call, errno, exchangeFlag: 2, freeNameFlag: 4 }
    }
    return null
  } catch {
    // The library is optional, and an old C library lacks the call: the plain way is nearly as good.
    return null
  }
}

function linkToFreeName(from: string, to: string): Trouble {
  try {
    // A second name for a link itself is not to be had everywhere, but making a link never overwrites either.
    if (lstatSync(from).isSymbolicLink()) symlinkSync(readlinkSync(from, 'buffer'), to)
    else linkSync(from, to)
    unlinkSync(from)
    return null
  } catch (error) {
    const code = codeOf(error)
    if (code !== 'EPERM' && !isUnsupported(code)) return code
    return renameUnlessTaken(from, to)
  }
}

function renameUnlessTaken(from: string, to: string): Trouble {
  try {
    if (lstatSync(to, { throwIfNoEntry: false })) return 'EEXIST'
    renameSync(from, to)
    return null
  } catch (error) {
    return codeOf(error)
  }
}
