import { runRefs } from '../commits/run-refs.ts'
import type { RunToFinish } from './run-to-finish.ts'

/** A branch of the agent's, with its newest commits since the run began. */
export type RunBranch = {
  branch: string
  ref: string
  sha: string
  commits: { sha: string; subject: string; at: string }[]
}

const mostCommits = 200

/** The branches of the agent that are in this repository. */
export async function runBranches(run: RunToFinish, signal: AbortSignal): Promise<RunBranch[]> {
  const { repository, at, base } = run
  const names = runRefs(at.run)
  const listed: RunBranch[] = []
  for (const [ref, sha] of await repository.refs(names.folder, signal)) {
    if (names.branchOf(ref) === null && ref !== names.head) continue
    const range = base === null ? [sha] : [`${base}..${sha}`]
    const format = ['--format=%H%x09%cI%x09%s', `--max-count=${mostCommits}`]
    const lines = (await repository.text(['log', ...format, ...range], { signal })).split('\n')
    const commits = lines.flatMap((line) => {
      const [commit, time, ...subject] = line.split('\t')
      return commit && time ? [{ sha: commit, at: time, subject: subject.join('\t') }] : []
    })
    listed.push({ branch: names.branchOf(ref) ?? 'HEAD', ref, sha, commits })
  }
  return listed
}

/** Deletes the run's refs. Git removes the commits later, unless something else refers to them. */
export async function dropRunRefs({ repository, at }: RunToFinish, signal: AbortSignal): Promise<string[]> {
  const refs = [...(await repository.refs(runRefs(at.run).folder, signal)).keys()]
  const input = refs.map((ref) => `delete ${ref}\n`).join('')
  if (input) await repository.write(['update-ref', '--stdin'], { input, signal })
  return refs
}
