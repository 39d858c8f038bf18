import { createHash } from 'node:crypto'
import { post } from '@farhand/client/post/post'
import { runRefs } from '@farhand/device/commits/run-refs'
import { type OpenedPr, openPr, remoteUrl } from '@farhand/device/pull-requests/open-pr'
import { type PushPlan, planPush } from '@farhand/device/pull-requests/plan-push'
import { RemoteBranch } from '@farhand/device/pull-requests/remote-branch'
import type { RunToFinish } from '@farhand/device/pull-requests/run-to-finish'
import { runTrailer } from '@farhand/device/pull-requests/run-trailer'
import { commitTree, readUncommitted, type Uncommitted } from '@farhand/device/pull-requests/uncommitted'
import { Trouble } from '@farhand/device/trouble/trouble'
import { count } from '@farhand/device/wording/count'
import { lineInWords, pathInWords } from '@farhand/device/wording/path-in-words'
import { runInWords } from '@farhand/device/wording/run-in-words'
import { event } from '@farhand/protocol/events/event-names'
import { askKey } from '../choice/ask-key.ts'
import type { CommandContext } from '../context/command-context.ts'
import type { ReachFlags } from '../find-run/reach-run.ts'
import { paint } from '../printing/paint.ts'
import { wrapWords } from '../printing/wrap-words.ts'
import { askAboutHooks, askAboutSecrets } from './ask-before-push.ts'
import { bodyFor, branchFor, titleFor } from './pr-texts.ts'
import { uncommittedInWords } from './uncommitted-in-words.ts'
import { untilStopped } from './until-stopped.ts'
import { withRun } from './with-run.ts'

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
    withRun(named, flags, context, async (run) => {
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
  return await commitTree(run, { tree, parents: [], message: messageOf(title, run) }, context)
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

const messageOf = (title: string, { at }: RunToFinish) => `${title}\n\n${runTrailer(at.run)}\n`

/** The branch name and the plan. A branch that others have pushed is neither used nor changed. */
async function whereTo(
  run: RunToFinish,
  remote: RemoteBranch,
  { tip, tree, title }: Prepared,
  flags: PrFlags,
  context: CommandContext,
): Promise<{ branch: string; plan: PushPlan; there: string | null }> {
  const { repository, at } = run
  const { stop: signal } = context
  const treeOf = (sha: string) => repository.text(['rev-parse', `${sha}^{tree}`], { signal })
  const pushed = (await repository.refs(runRefs(at.run).pushed, signal)).get(runRefs(at.run).pushed) ?? null
  const names =
    flags.branch === undefined
      ? [branchFor(title, at.run, false), branchFor(title, at.run, true)]
      : [await validBranch(run, String(flags.branch), context)]
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
      force: flags.forceWithLease === true,
    })
    if (plan.is !== 'foreign') return { branch, plan, there }
  }
  throw new Trouble(
    'failed',
    `${remote.name} has a branch ${names.at(-1)} with commits that are not of this run.`,
    'Name another one with --branch. Nothing was pushed.',
  )
}

async function validBranch(
  run: RunToFinish,
  name: string,
  { stop: signal }: CommandContext,
): Promise<string> {
  const isFine = await run.repository
    .text(['check-ref-format', `refs/heads/${name}`], { signal })
    .then(() => !name.startsWith('-'))
    .catch(() => false)
  if (isFine) return name
  throw new Trouble('usage', `${JSON.stringify(name)} is not a valid branch name.`, 'Give another --branch.')
}

async function pushIt(
  run: RunToFinish,
  remote: RemoteBranch,
  { tip, tree, title, uncommitted }: Prepared,
  { branch, plan }: { branch: string; plan: PushPlan & { is: 'push' } },
  context: CommandContext,
): Promise<{ sha: string; said: string }> {
  const isMerge = plan.commit !== null && plan.commit.length > 1
  const subject = isMerge && uncommitted.length === 0 ? 'Merge what the agent has committed since' : title
  const sha = plan.commit
    ? await commitTree(run, { tree, parents: plan.commit, message: messageOf(subject, run) }, context)
    : tip
  const said = await remote.push(sha, branch, plan.lease)
  const input = `update ${runRefs(run.at.run).pushed} ${sha}\n`
  await run.repository.write(['update-ref', '--stdin'], { input, signal: context.stop })
  return { sha, said }
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
  const { hub, at, device } = run
  const prUrl = opened.url ?? remoteUrl(address, run.repository.folder)
  try {
    if (prUrl) {
      const params = { prUrl, branch, opened: opened.isOpen }
      const sum = createHash('sha256').update(JSON.stringify(params)).digest('hex').slice(0, 32)
      await post({ ...hub, deviceId: device }, at, event('pr_created', params), {
        key: `pr/${sum}`,
        patienceMs: 3000,
        signal: context.stop,
      })
    }
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
