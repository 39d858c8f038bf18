import { type OpenedPr, openPr, remoteUrl } from '@farhand/device/pull-requests/open-pr'
import type { PushPlan } from '@farhand/device/pull-requests/plan-push'
import { postPr } from '@farhand/device/pull-requests/post-pr'
import {
  type BranchToPush,
  branchToPush,
  pushBranch,
  validBranchName,
} from '@farhand/device/pull-requests/push-branch'
import { RemoteBranch } from '@farhand/device/pull-requests/remote-branch'
import type { RunToFinish } from '@farhand/device/pull-requests/run-to-finish'
import { runTrailer } from '@farhand/device/pull-requests/run-trailer'
import { commitTree, readUncommitted, type Uncommitted } from '@farhand/device/pull-requests/uncommitted'
import { Trouble } from '@farhand/device/trouble/trouble'
import { count } from '@farhand/device/wording/count'
import { lineInWords, pathInWords } from '@farhand/device/wording/path-in-words'
import { runInWords } from '@farhand/device/wording/run-in-words'
import type { CommandContext } from '../../context/command-context.ts'
import { askKey } from '../../terminal/choice/ask-key.ts'
import { paint } from '../../terminal/printing/paint.ts'
import { wrapWords } from '../../terminal/printing/wrap-words.ts'
import type { ReachFlags } from '../find-run/reach-run.ts'
import { askAboutHooks, askAboutSecrets } from './ask-before-push.ts'
import { bodyFor, branchFor, titleFor } from './pr-texts.ts'
import { uncommittedInWords } from './uncommitted-in-words.ts'
import { untilStopped } from './until-stopped.ts'
import { withFoundRun } from './with-found-run.ts'

export type PrFlags = ReachFlags &
  Partial<
    Record<
      | 'remote'
      | 'branch'
      | 'base'
      | 'title'
      | 'body'
      | 'draft'
      | 'uncommitted'
      | 'yes'
      | 'forceWithLease'
      | 'dryRun',
      unknown
    >
  >

type Prepared = { title: string; subjects: string[]; uncommitted: string[]; tree: string; tip: string }

const mostNamed = 3

/** Pushes the run's work as a branch with the user's git, and opens a pull request or prints where to. */
export const prCommand = (named: string | undefined, flags: PrFlags, context: CommandContext) =>
  untilStopped(flags, context, () =>
    withFoundRun(named, flags, context, async (run) => {
      const remote = await RemoteBranch.of(
        run,
        flags.remote,
        context,
        `\`${context.called.farhand} patch\` for a patch`,
      )
      const prepared = await prepare(run, flags, context)
      await askAboutHooks(run, prepared, flags, context)
      const { branch, plan, there } = await whereTo(run, remote, prepared, flags, context)
      if (plan.is === 'push') await askAboutSecrets(run, { ...prepared, from: there }, flags, context)
      const about = {
        run: run.at.run,
        remote: remote.name,
        branch,
        base: run.base,
        commits: prepared.subjects,
        uncommitted: prepared.uncommitted,
      }
      if (flags.dryRun) {
        if (flags.json) return context.out(`${JSON.stringify({ ...about, dryRun: true, plan: plan.is })}\n`)
        return context.out(
          wrapWords(
            `${planInWords(prepared, branch, remote.name, plan, context)}Nothing was pushed.\n`,
            context.columns,
          ),
        )
      }
      const { sha, said } =
        plan.is === 'push'
          ? await pushIt(run, remote, prepared, { branch, plan }, context)
          : { sha: there!, said: '' }
      const opened = await open(run, remote, prepared, { branch, said }, flags, context)
      if (flags.json) {
        const { url: prUrl, isOpen } = opened
        return context.out(
          `${JSON.stringify({ ...about, sha, pushed: plan.is === 'push', prUrl, opened: isOpen })}\n`,
        )
      }
      context.out(
        wrapWords(doneInWords(prepared, branch, remote.name, plan, opened, context), context.columns),
      )
    }),
  )

async function prepare(run: RunToFinish, flags: PrFlags, context: CommandContext): Promise<Prepared> {
  const { repository, base, at, asked, commits } = run
  const { stop: signal } = context
  const title = flags.title === undefined ? titleFor(asked, at.run) : String(flags.title)
  const late = commits.notYetThere.at(-1)
  if (late && !flags.json)
    context.note(
      `What the agent committed last (${lineInWords(late.message ?? late.sha)}) has not arrived yet as a commit.\n`,
    )
  const found = await readUncommitted(run, context)
  const isWanted = await wantsUncommitted(found, title, flags, context)
  const tip = run.tip ?? (await firstCommit(run, found, title, isWanted, context))
  const range = base === null ? [tip] : [`${base}..${tip}`]
  const listed = await repository.text(['log', '--format=%s', '--max-count=100', ...range], { signal })
  const subjects = listed.split('\n').filter((line) => line !== '')
  const uncommitted = isWanted ? found.paths : []
  if (subjects.length === 0 && uncommitted.length === 0)
    throw new Trouble(
      'failed',
      'Nothing to push: no file has changed since the run began.',
      `\`${context.called.farhand} status ${runInWords(at.run)}\` says how it stands.`,
    )
  return { title, subjects, uncommitted, tree: isWanted ? found.tree : found.tipTree, tip }
}

/** In a repository without commits, the run's files become the first commit. */
async function firstCommit(
  run: RunToFinish,
  { tree }: Uncommitted,
  title: string,
  isWanted: boolean,
  context: CommandContext,
): Promise<string> {
  if (!isWanted) throw new Trouble('failed', 'There is no commit yet.', 'Leave out --no-uncommitted.')
  return await commitTree(run, { tree, parents: [], message: commitMessage(title, run) }, context)
}

async function wantsUncommitted(
  { paths, tree, tipTree }: Uncommitted,
  title: string,
  { uncommitted, yes, json, dryRun }: PrFlags,
  context: CommandContext,
): Promise<boolean> {
  if (tree === tipTree || uncommitted === false) return false
  if (yes || json || dryRun || !context.ask) return true
  const says = `${count(paths.length, 'file')} of the run ${paths.length === 1 ? 'is' : 'are'} in no commit (${someOf(paths)}).`
  const question = `${says} Have ${paths.length === 1 ? 'it' : 'them'} in one of yours, "${title}"? [Y/n]`
  const asked = { question: `${wrapWords(question, context.columns - 2)} `, answers: { y: 'yes', n: 'no' } }
  const answer = await askKey({ ...asked, usual: 'yes' }, context)
  // Ending the command here is not a yes.
  if (answer === null) throw new Trouble('interrupted', 'Nothing was pushed.', 'Run the command again.')
  return answer === 'yes'
}

const someOf = (paths: readonly string[]) =>
  paths.slice(0, mostNamed).map(pathInWords).join(', ') + (paths.length > mostNamed ? ', ...' : '')

const commitMessage = (title: string, { at }: RunToFinish) => `${title}\n\n${runTrailer(at.run)}\n`

/** The branch names that may be used, in order, and the plan for the first that can be. */
async function whereTo(
  run: RunToFinish,
  remote: RemoteBranch,
  { tip, tree, title }: Prepared,
  flags: PrFlags,
  { stop }: CommandContext,
): Promise<BranchToPush> {
  const { run: id } = run.at
  const names =
    flags.branch === undefined
      ? [branchFor(title, id, false), branchFor(title, id, true)]
      : [await validBranchName(run, String(flags.branch), stop)]
  const force = flags.forceWithLease === true
  return await branchToPush(run, remote, { tip, tree, names, force }, stop)
}

function pushIt(
  run: RunToFinish,
  remote: RemoteBranch,
  { tip, tree, title, uncommitted }: Prepared,
  to: { branch: string; plan: PushPlan & { is: 'push' } },
  context: CommandContext,
) {
  const messageOf = (isMerge: boolean) =>
    commitMessage(
      isMerge && uncommitted.length === 0 ? 'Merge what the agent has committed since' : title,
      run,
    )
  return pushBranch(run, remote, { tip, tree, messageOf }, to, context)
}

async function open(
  run: RunToFinish,
  remote: RemoteBranch,
  { title, subjects }: Prepared,
  { branch, said }: { branch: string; said: string },
  flags: PrFlags,
  context: CommandContext,
): Promise<OpenedPr> {
  const address = await remote.address()
  const opened = await openPr(
    {
      folder: run.repository.folder,
      address,
      branch,
      into: flags.base === undefined ? null : String(flags.base),
      title,
      body: flags.body === undefined ? bodyFor(run.asked, subjects, run.at.run) : String(flags.body),
      isDraft: flags.draft === true,
      said,
    },
    context,
  )
  const prUrl = opened.url ?? remoteUrl(address, run.repository.folder)
  try {
    if (prUrl) await postPr(run, { prUrl, branch, opened: opened.isOpen }, context.stop)
  } catch (error) {
    // The branch is pushed, and calling the command again would post the same event.
    const isClosed = (error as { code?: string }).code === 'run.closed'
    const why = isClosed ? 'the run is closed' : (error as Error).message
    if (!flags.json) context.note(`The log of the run does not say so: ${lineInWords(why)}.\n`)
  }
  return opened
}

function planInWords(
  { subjects, uncommitted }: Prepared,
  branch: string,
  remote: string,
  plan: PushPlan,
  context: CommandContext,
): string {
  const { bold } = paint(context.color)
  if (plan.is === 'same') return `${remote} has all of it, as ${bold(branch)}.\n`
  const lines = [
    `${bold(branch)} at ${remote} would have:`,
    ...subjects.map((subject) => `  ${lineInWords(subject)}`),
    ...(uncommitted.length > 0 ? [`  ${uncommittedInWords(uncommitted)}, in one of yours`] : []),
    ...(plan.is === 'push' && plan.lease ? [`It would replace ${plan.lease.slice(0, 10)}.`] : []),
  ]
  return `${lines.join('\n')}\n`
}

function doneInWords(
  { subjects, uncommitted }: Prepared,
  branch: string,
  remote: string,
  plan: PushPlan,
  { url, isOpen, why }: OpenedPr,
  context: CommandContext,
): string {
  const { bold, link } = paint(context.color)
  const has = [
    ...(subjects.length > 0 ? [`${count(subjects.length, 'commit')} of the run`] : []),
    ...(uncommitted.length > 0 ? [uncommittedInWords(uncommitted)] : []),
  ].join(', and ')
  const first =
    plan.is === 'same'
      ? `${remote} has all of it already, as ${bold(branch)}.`
      : `Pushed ${bold(branch)} to ${remote}: ${has}.`
  const page = lineInWords(url ?? '')
  const second = !url ? [] : isOpen ? [`Pull request: ${link(page)}`] : [`Open a pull request: ${link(page)}`]
  return `${[first, ...(why ? [lineInWords(why)] : []), ...second].join('\n')}\n`
}
