import type { RunId } from '@farhand/protocol/wire/ids'

/** The refs of a run in the user's repository. Farhand writes no other refs on its own. */
export type RunRefs = {
  /** Their common prefix. */
  folder: string
  /** What the run began from. */
  base: string
  /** The run's newest checkpoint. */
  checkpoint: string
  /** The agent's HEAD, if it is detached. */
  head: string
  /** The commit that was pushed last. */
  pushed: string
  branch(name: string): string
  /** A ref as the user types it in a git command, such as `farhand/run_4fJ2aBcD/main`. */
  short(ref: string): string
  /** The agent's branch of a ref; null for our own refs. */
  branchOf(ref: string): string | null
}

const lettersOfRun = 'run_'.length + 8
const ours = new Set(['base', 'checkpoint', 'head', 'pushed'])
const instead = 'branch-'

/** The refs of one run. An agent's branch with the name of one of our refs gets a prefix. */
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

// Ignoring case: on many disks both are one file.
const isOurs = (name: string) => ours.has(name.split('/', 1)[0]!.toLowerCase())

const line = /^([0-9a-f]{40}) refs\/heads\/(\S+)$/
// Invalid branch names are dropped: git would refuse all refs because of one.
const refused = /\.\.|@\{|[\p{Cc}~^:?*[\\]|(^|\/)[.-]|\.lock(\/|$)|\/\/|[./]$|^@$/u
const mostBranches = 200

/** The branches in a packed-refs file, with their commits. */
export function branchesIn(packedRefs: string): Map<string, string> {
  const branches = new Map<string, string>()
  for (const text of packedRefs.split('\n')) {
    const [, sha, name] = line.exec(text) ?? []
    if (sha && name && name.length < 200 && !refused.test(name) && branches.size < mostBranches)
      branches.set(name, sha)
  }
  return branches
}

/** Existing refs that conflict with wanted ones: `a` and `a/b` cannot both exist. */
export function refsInTheWay(there: readonly string[], wanted: readonly string[]): string[] {
  const isAbove = (one: string, other: string) => other.startsWith(`${one}/`)
  return there.filter((ref) => wanted.some((other) => isAbove(ref, other) || isAbove(other, ref)))
}
