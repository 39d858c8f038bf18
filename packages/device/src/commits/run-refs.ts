import type { RunId } from '@farhand/protocol/wire/ids'

/** Under which names a repository on a laptop keeps what came of a run. Nothing else is ever written by itself. */
export type RunRefs = {
  /** All of them begin with this. */
  folder: string
  /** What the run began from. */
  base: string
  /** The files of the run as its newest checkpoint has them. */
  checkpoint: string
  /** Where HEAD stands, if that is at no branch. */
  head: string
  /** What was pushed last. */
  pushed: string
  branch(name: string): string
  /** What these names are called in a command of git's: `farhand/run_4fJ2aBcD/main`. */
  short(ref: string): string
  /** The branch of the agent that such a name stands for; null if it is one of ours. */
  branchOf(ref: string): string | null
}

const lettersOfRun = 'run_'.length + 8
const ours = new Set(['base', 'checkpoint', 'head', 'pushed'])
const instead = 'branch-'

/** The names of one run. A branch of the agent's that is called as one of ours has another name here. */
export function runRefs(run: RunId): RunRefs {
  const folder = `refs/farhand/${run.slice(0, lettersOfRun)}`
  return {
    folder,
    base: `${folder}/base`,
    checkpoint: `${folder}/checkpoint`,
    head: `${folder}/head`,
    pushed: `${folder}/pushed`,
    branch: (name) => `${folder}/${isOurs(name) ? instead : ''}${name}`,
    short: (ref) => ref.replace(/^refs\//, ''),
    branchOf(ref) {
      const name = ref.slice(folder.length + 1)
      if (isOurs(name)) return null
      const rest = name.startsWith(instead) ? name.slice(instead.length) : name
      return isOurs(rest) ? rest : name
    },
  }
}

// Whatever its letters: on many disks both are one file.
const isOurs = (name: string) => ours.has(name.split('/', 1)[0]!.toLowerCase())

const line = /^([0-9a-f]{40}) refs\/heads\/(\S+)$/
// What git itself would refuse as a name must not keep the others from arriving.
const refused = /\.\.|@\{|[\p{Cc}~^:?*[\\]|(^|\/)[.-]|\.lock(\/|$)|\/\/|[./]$|^@$/u
const mostBranches = 200

/** The branches that a file of packed refs names, by their commits. */
export function branchesIn(packedRefs: string): Map<string, string> {
  const branches = new Map<string, string>()
  for (const text of packedRefs.split('\n')) {
    const [, sha, name] = line.exec(text) ?? []
    if (sha && name && name.length < 200 && !refused.test(name) && branches.size < mostBranches)
      branches.set(name, sha)
  }
  return branches
}

/** Those of these names that cannot stay beside others: `a` and `a/b` exclude each other. */
export function refsInTheWay(there: readonly string[], wanted: readonly string[]): string[] {
  const isAbove = (one: string, other: string) => other.startsWith(`${one}/`)
  return there.filter((ref) => wanted.some((other) => isAbove(ref, other) || isAbove(other, ref)))
}
