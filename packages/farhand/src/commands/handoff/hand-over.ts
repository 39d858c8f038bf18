import { handOverRun } from '@farhand/device/handoff/hand-over'
import type { HandoffEnd } from '@farhand/device/handoff/handoff-parts'
import type { HandoffRun } from '@farhand/device/handoff/handoff-run'
import { stepTimeoutsMs } from '@farhand/device/handoff/step-timeout'
import { Trouble } from '@farhand/device/trouble/trouble'
import { runInWords } from '@farhand/device/wording/run-in-words'
import type { CommandContext } from '../../context/command-context.ts'
import { withFoundRun } from '../finish/with-found-run.ts'
import { startLink } from '../link/start-link.ts'
import { startRunner } from '../runner/start-runner.ts'
import { handoffListener } from './handoff-listener.ts'
import type { HandoffReporter } from './handoff-reporter.ts'
import { type SettleFlags, settle } from './settle-run.ts'

/** Hands a run over as `handOverRun` does, reports each step, and says why it could not be. */
export async function handOver(
  to: 'here' | 'cloud',
  handoff: HandoffRun,
  flags: SettleFlags,
  reporter: HandoffReporter,
  context: CommandContext,
  mostMs = stepTimeoutsMs,
): Promise<void> {
  const { hub, at, agent, workspace, runs, state } = handoff
  const { env, stop } = context
  // A long turn is looked at repeatedly; the user is asked only once.
  let said = flags
  const end = await handOverRun(
    to,
    handoff,
    {
      ...{ env, stop },
      listener: handoffListener(handoff, reporter, context),
      async settle(seen, asks) {
        const how = await settle(handoff, seen, asks, said, reporter, context)
        said = how === null ? flags : { ...said, [how]: true }
      },
      startRunner: (known, after) =>
        startRunner(known, { runs, stateFolderPath: state.root }, context, after),
      startLink: (once) =>
        startLink({ url: hub.url, token: hub.token, at, workspace }, { state, once }, context),
      async sendSetup({ terms }) {
        const { bringForRun } = await import('../bring/bring-for-run.ts')
        const about = { flags: {}, stateFolderPath: state.root, hub, agent, terms: terms ?? {} }
        await (await bringForRun(about, context)).send(at)
      },
      fetchCommits: () => fetchCommits(handoff, context),
    },
    mostMs,
  )
  const trouble = endTrouble(end, handoff, context)
  if (trouble) throw trouble
}

/** Fetches the agent's commits into the repository here, under refs of the run; the branches that have them. */
async function fetchCommits({ hub, at, state }: HandoffRun, context: CommandContext): Promise<string[]> {
  const names: string[] = []
  const flags = { state: state.root, hub: hub.url, token: hub.token }
  await withFoundRun(at.run, flags, context, async ({ taken, base, tip }) => {
    if (tip === null || tip === base) return
    names.push(...taken.refs.map(({ ref }) => ref.replace(/^refs\//, '')))
  })
  return names.filter((name) => !/\/(base|checkpoint|pushed)$/.test(name))
}

function endTrouble(end: HandoffEnd, handoff: HandoffRun, context: CommandContext): Trouble | null {
  const { run } = handoff.at
  switch (end.is) {
    case 'moved':
      return null
    case 'refused':
      return refused(end.why, handoff, context)
    case 'unanswered':
      return unanswered(end.pid, handoff, context)
    case 'too-busy':
      return new Trouble(
        'failed',
        `${runInWords(run)} is too busy: new messages keep arriving.`,
        'Nothing was changed; try again later.',
      )
    case 'no-sandbox': {
      const why = end.why ?? 'The hub has no sandbox for it.'
      const { trouble } = end
      if (trouble) return new Trouble('failed', why, `${trouble.message} ${trouble.nextStep}`)
      const next = end.isBack
        ? 'It works here, as before. Try again when that is fixed.'
        : `When that is fixed, send it a message; \`${context.called.farhand} handoff ${run} --to here\` has it work here.`
      return new Trouble('failed', why, next)
    }
  }
}

function refused(why: 'closed' | 'other-device', { at }: HandoffRun, { called }: CommandContext): Trouble {
  if (why === 'closed')
    return new Trouble(
      'runClosed',
      `${runInWords(at.run)} is closed.`,
      `Say something to open it again: ${called.farhand} run --run ${runInWords(at.run)} "..."`,
    )
  return new Trouble(
    'alreadyRunning',
    `${runInWords(at.run)} works on another machine.`,
    `Hand it over from there: ${called.farhand} handoff ${runInWords(at.run)} --to cloud`,
  )
}

function unanswered(pid: number | null, { at }: HandoffRun, { called }: CommandContext): Trouble {
  const run = runInWords(at.run)
  if (pid === null)
    return new Trouble(
      'failed',
      `The runner of ${run} does not answer.`,
      `It works where it did. \`${called.farhand} status ${run}\` says how it is; try again when it answers.`,
    )
  return new Trouble(
    'failed',
    `The runner of ${run} here, process ${pid}, does not answer.`,
    `It works here, as before. If that process is only stopped, \`kill -CONT ${pid}\` has it go on. ` +
      `\`kill -9 ${pid}\` ends it; then this command goes on without it.`,
  )
}
