import { runRefs } from '../commits/run-refs.ts'
import { Trouble } from '../trouble/trouble.ts'
import { type PushPlan, planPush } from './plan-push.ts'
import type { StartedBy } from './program-as-user.ts'
import type { RemoteBranch } from './remote-branch.ts'
import type { RunToFinish } from './run-to-finish.ts'
import { commitTree } from './uncommitted.ts'

export type BranchToPush = { branch: string; plan: PushPlan; there: string | null }

/** The first of these names that the run can use, and the plan. A branch that others have pushed is neither used nor changed. */
export async function branchToPush(
  run: RunToFinish,
  remote: RemoteBranch,
  { tip, tree, names, force }: { tip: string; tree: string; names: readonly string[]; force: boolean },
  signal: AbortSignal,
): Promise<BranchToPush> {
  const { repository, at } = run
  const treeOf = (sha: string) => repository.text(['rev-parse', `${sha}^{tree}`], { signal })
  const pushed = (await repository.refs(runRefs(at.run).pushed, signal)).get(runRefs(at.run).pushed) ?? null
  for (const branch of names) {
    const there = await remote.find(branch)
    const plan = planPush({
      there,
      isOurs: there !== null && (await remote.isOurs(there, pushed)),
      tip,
      tree,
      tipTree: await treeOf(tip),
      thereTree: there && (await treeOf(there)),
      thereHasTip: there !== null && (await repository.isAncestor(tip, there, signal)),
      tipHasThere: there !== null && (await repository.isAncestor(there, tip, signal)),
      force,
    })
    if (plan.is !== 'foreign') return { branch, plan, there }
  }
  throw new Trouble(
    'failed',
    `${remote.name} has a branch ${names.at(-1)} with commits that are not of this run.`,
    'Name another one with --branch. Nothing was pushed.',
  )
}

/** This name, if it is valid for a branch. */
export async function validBranchName(
  { repository }: RunToFinish,
  name: string,
  signal: AbortSignal,
): Promise<string> {
  const isFine = await repository
    .text(['check-ref-format', `refs/heads/${name}`], { signal })
    .then(() => !name.startsWith('-'))
    .catch(() => false)
  if (isFine) return name
  throw new Trouble('usage', `${JSON.stringify(name)} is not a valid branch name.`, 'Give another --branch.')
}

/** Pushes the branch, with a commit by the user where the plan needs one. `said` is the output of the server. */
export async function pushBranch(
  run: RunToFinish,
  remote: RemoteBranch,
  { tip, tree, messageOf }: { tip: string; tree: string; messageOf: (isMerge: boolean) => string },
  { branch, plan }: { branch: string; plan: PushPlan & { is: 'push' } },
  by: StartedBy,
): Promise<{ sha: string; said: string }> {
  const isMerge = plan.commit !== null && plan.commit.length > 1
  const sha = plan.commit
    ? await commitTree(run, { tree, parents: plan.commit, message: messageOf(isMerge) }, by)
    : tip
  const said = await remote.push(sha, branch, plan.lease)
  const input = `update ${runRefs(run.at.run).pushed} ${sha}\n`
  await run.repository.write(['update-ref', '--stdin'], { input, signal: by.stop })
  return { sha, said }
}
