import type { Hub } from '@farhand/client/requests/hub'
import { runStatus } from '@farhand/client/resources/resources'
import type { KnownRun } from '@farhand/device/known-runs/known-runs'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { Trouble } from '@farhand/device/trouble/trouble'
import { unlessStopped } from '@farhand/kit/unless-stopped'
import type { StateFolder } from '@farhand/sync/state/state-folder'
import type { CommandContext } from '../../context/command-context.ts'
import { type BottomLine, bottomLine } from '../../terminal/printing/bottom-line.ts'
import { paint } from '../../terminal/printing/paint.ts'
import { type StartedLink, startLink } from '../link/start-link.ts'
import type { StartMarks } from './start-times.ts'

type Circumstances = {
  hub: Hub
  state: StateFolder
  /** The run begins with a cloned repository, not with the folder. */
  isClone: boolean
  flags: { json?: unknown }
  mark: (step: keyof StartMarks) => void
}

/** Links a folder to its new run; resolves when the hub has the files and their git repository. */
export async function prepareWorkspace(
  known: KnownRun,
  { hub, state, isClone, flags, mark }: Circumstances,
  context: CommandContext,
): Promise<StartedLink> {
  const line = bottomLine(context, flags)
  const over = new AbortController()
  const signal = AbortSignal.any([context.stop, over.signal])
  try {
    line.show('files are on their way to the hub')
    // The run is new: the files that it has are from this folder.
    const link = startLink(
      known,
      {
        state,
        words: isClone ? [] : ['--mine'],
        onProgress: ({ sent, toSend }) => {
          const [done, all] = [sent, sent + toSend].map((files) => files.toLocaleString('en'))
          if (toSend > 0) line.show(`${done} of ${all} files sent to the hub`)
        },
      },
      context,
    )
    const files = link.inStep.then((told) => {
      mark('inStep')
      if (flags.json) context.out(`${JSON.stringify({ event: 'in-step', ...told })}\n`)
    })
    const fate = link.device.then(() => refuseFailed(known, hub, context))
    const base = isClone
      ? null
      : sendRepository(known, { hub, state, link, flags, mark, signal, line }, context)
    await unlessStopped(context.stop, Promise.all([files, base, fate]))
    return link
  } finally {
    over.abort()
    line.end()
  }
}

/** Rejects at once if the hub has no sandbox for the run: the user need not wait until all files are sent. */
async function refuseFailed({ at }: KnownRun, hub: Hub, { stop, called }: CommandContext): Promise<void> {
  const { status } = await runStatus(hub, at, { signal: stop, patienceMs })
  if (status !== 'failed') return
  const { whyFailed } = await import('@farhand/device/requests/why-failed')
  const why = (await whyFailed({ hub, at }, stop)) ?? 'The hub has no sandbox for this run.'
  throw new Trouble(
    'failed',
    why,
    `The run was not begun. Solve that and try again, or see other options: ${called.farhand} run --help`,
  )
}

type Sending = Omit<Circumstances, 'isClone'> & { link: StartedLink; signal: AbortSignal; line: BottomLine }

/** Sends the git repository of the folder, and tells of it. */
async function sendRepository(
  known: KnownRun,
  { hub, state, link, flags, mark, signal, line }: Sending,
  context: CommandContext,
): Promise<void> {
  const { sendBase } = await import('@farhand/device/base/send-base')
  await sendBase(known, {
    hub,
    place: state.placeOf(known.workspace),
    env: context.env,
    signal,
    device: link.device,
    inStep: link.inStep,
    onWarning: (warning) => {
      if (!flags.json) line.say(paint(context.color).yellow(warning))
    },
    onMade: () => mark('baseMade'),
    onStored: () => mark('baseSent'),
    onSent: (sent, warnings) => {
      if (flags.json) context.out(`${JSON.stringify({ event: 'base', ...sent, warnings })}\n`)
    },
  })
}
