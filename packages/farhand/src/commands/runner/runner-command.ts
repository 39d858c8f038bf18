import { beginRunner } from '@farhand/client/resources/resources'
import { findNamedRun, runNamed } from '@farhand/device/find-run/run-named'
import type { RunnerGrant } from '@farhand/device/hosting/host-run'
import { usableAgent } from '@farhand/device/installed-agents/local-agents'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { runInWords } from '@farhand/device/wording/run-in-words'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { asHubTrouble, hubTrouble } from '../../command-line/errors/hub-trouble.ts'
import { withJsonErrors } from '../../command-line/errors/with-json-errors.ts'
import type { CommandContext } from '../../context/command-context.ts'
import { signInWords } from '../agents/sign-in-advice.ts'
import { hubAccess } from '../find-run/hub-access.ts'
import { folderToLink } from '../link/folder-to-link.ts'
import { pauseAdvice } from '../link/link-troubles.ts'
import { agentOfRun, inputFiles, readInputFiles, type ServerFlags } from './input-files.ts'

export type RunnerFlags = ServerFlags &
  Readonly<Partial<Record<'workspace' | 'state' | 'after' | 'sync', unknown>>>

/** `farhand runner`: hosts the agent of a run in a folder until the run is closed, or the process is stopped. */
export const runnerCommand = (given: RunnerFlags, context: CommandContext) =>
  withJsonErrors(given, context, async () => {
    const flags = { ...given, run: given.run ?? given.sessionId }
    const files = inputFiles(flags, context)
    if (flags.run === undefined || (flags.agent === undefined && !files))
      throw new Trouble('usage', 'Which run, and which agent?', 'Name them: --run <run> --agent <id>.')
    const place = stateFolderPath(flags.state, context)
    const agentId = flags.agent ?? (await agentOfRun(flags, new StateFolder(place), context))
    const agent = usableAgent(String(agentId), place, context)
    const workspace = await folderToLink(String(flags.workspace ?? '.'), place, context)
    const state = new StateFolder(place)
    const { at, hub, grant } = await accessOf(flags, state, context)
    const { hostRun } = await import('@farhand/device/hosting/host-run')
    await hostRun(
      { at, hub, agent, workspace, isComing: flags.after !== undefined, syncs: flags.sync !== false, grant },
      {
        state,
        env: context.env,
        stop: context.stop,
        signIn: signInWords(agent.entry, at.run, context.called.farhand),
        pause: pauseAdvice(workspace, context),
        explain: (error) => hubTrouble(error, hub.url, context) ?? error,
        onHosting: ({ generation }) =>
          tell(flags, context, { event: 'hosting', ...at, agent: agent.entry.id, workspace, generation }),
        onEnd: (end) => {
          if (end === 'fenced') throw fenced(at, context)
          tell(flags, context, { event: 'ended', why: end, run: at.run })
        },
        feed: files
          ? (work, notes) => readInputFiles(files, at, notes, { flags, state, context }, work)
          : undefined,
      },
    )
  })

/** Access with the user's token, which can begin a runner, or with the token of a runner that another program began. */
async function accessOf(
  flags: RunnerFlags,
  state: StateFolder,
  context: CommandContext,
): Promise<{ hub: { url: string; token: string }; at: RunAddress; grant: () => Promise<RunnerGrant> }> {
  const named = runNamed(String(flags.run))
  const { FARHAND_RUNNER_TOKEN: token, FARHAND_RUNNER_GENERATION: said } = context.env
  if (token) {
    const generation = Number(said)
    if (!Number.isSafeInteger(generation) || generation < 1)
      throw new Trouble(
        'usage',
        'FARHAND_RUNNER_TOKEN is set, and FARHAND_RUNNER_GENERATION is not a number from 1 up.',
        'Set both to the values that the hub returned when the runner was begun.',
      )
    if (named.is !== 'address')
      throw new Trouble(
        'usage',
        `A runner's token cannot find a run by its id.`,
        'Give --run prj_.../tsk_.../run_...',
      )
    const { url } = await hubAccess({ ...flags, token }, state, context)
    return { hub: { url, token }, at: named.at, grant: async () => ({ token, generation }) }
  }
  if (named.is === 'new')
    throw new Trouble('usage', 'A runner needs an existing run.', `Begin one: ${context.called.farhand} run`)
  const hub = await hubAccess(flags, state, context)
  const { url } = hub
  const at = await findNamedRun(hub, named, '', context.stop).catch(asHubTrouble(url, context))
  const asked = flags.after === undefined ? {} : { after: Number(flags.after) }
  return { hub, at, grant: () => beginRunner(hub, at, asked, { signal: context.stop }) }
}

const fenced = ({ run }: RunAddress, { called }: CommandContext) =>
  new Trouble(
    'fenced',
    `Another runner has taken over ${runInWords(run)}.`,
    `There can be one. \`${called.farhand} run --run ${runInWords(run)}\` shows what it does.`,
  )

function tell(
  flags: RunnerFlags,
  context: CommandContext,
  said: { event: string } & Record<string, unknown>,
): void {
  const words =
    said.event === 'hosting'
      ? `${said.agent} works on ${said.run} in ${said.workspace} (runner ${said.generation}).`
      : said.why === 'closed'
        ? `${said.run} is closed.`
        : said.why === 'resting'
          ? `${said.run} has nothing to do, and its log has everything.`
          : `Stopped; \`${context.called.farhand} run --run ${said.run}\` goes on.`
  if (flags.json) context.out(`${JSON.stringify(said)}\n`)
  else context.note(`${words}\n`)
}
