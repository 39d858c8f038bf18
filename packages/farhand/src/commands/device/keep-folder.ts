import { parseArgs } from 'node:util'
import type { FromLinkThread, LinkStart } from '@farhand/device/device-process/link-thread'
import { linkTo } from '@farhand/device/linked-folders/link-to'
import { linkableFolder } from '@farhand/device/linked-folders/linkable-folder'
import { refuseNeighbours } from '@farhand/device/linked-folders/refuse-neighbours'
import { diskFull } from '@farhand/device/trouble/disk-full'
import { Trouble } from '@farhand/device/trouble/trouble'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { asHubTrouble } from '../../command-line/errors/hub-trouble.ts'
import type { CommandContext } from '../../context/command-context.ts'
import type { LinkScreen } from '../../terminal/link-screen/link-screen.ts'
import { sizeNamed } from '../../terminal/printing/file-size.ts'
import { keepInSync, type LinkFlags } from '../link/keep-in-sync.ts'
import { commandsFor, reopening } from '../link/link-troubles.ts'

type Tell = (message: FromLinkThread) => void
type End = Extract<FromLinkThread, { is: 'ended' }>['end']

const progressMs = 100

/**
 * Keeps a folder in sync until `context.stop` aborts or the run is closed, and tells the device process what happens. Throws
 * what it may try again.
 */
export async function keepFolder(
  { folder, run, words }: LinkStart,
  stateFolder: string,
  context: CommandContext,
  tell: Tell,
): Promise<End> {
  const { stop } = context
  const state = new StateFolder(stateFolder)
  const flags = flagsOf(words, state.root)
  let isLinked = false
  try {
    await linkableFolder(folder, state.root, { ...context, mayMake: async () => false })
    refuseNeighbours(state, folder)
    const link = run ? linkTo(folder, run, state) : state.find(folder)
    if (!link) return failed(new Trouble('failed', `${folder} is not linked any more.`, 'Link it again.'))
    const { maxFile } = flags
    await keepInSync(
      link,
      {
        flags,
        state,
        maxFileBytes: maxFile === undefined ? undefined : sizeNamed(String(maxFile)),
        madeFor: undefined,
        isNew: false,
        screen: screenOf(folder, tell, context),
        onStatus(status) {
          if (!isLinked) tell({ is: 'linked', device: link.device })
          isLinked = true
          tell({ is: 'status', status })
        },
      },
      context,
    ).catch(asHubTrouble(link.url, context, reopening(commandsFor(link, flags, context))))
    return { is: stop.aborted ? 'stopped' : 'run-closed' }
  } catch (error) {
    if (stop.aborted) return { is: 'stopped' }
    if (error instanceof Trouble) return failed(error)
    // A command waits for this first start: it is better off with the reason than with more tries.
    if (run && !isLinked) return failed(diskFull(error, state.root) ?? unknownTrouble(folder, error))
    throw error
  }
}

const failed = ({ exit, message, nextStep }: Trouble): End => ({ is: 'failed', exit, message, nextStep })

const unknownTrouble = (folder: string, error: unknown) =>
  new Trouble('failed', `${folder} could not be linked: ${(error as Error).message}`, 'Try again.')

/** The flags of `farhand link` that a link in the background has. */
function flagsOf(words: readonly string[], state: string): LinkFlags {
  const on = { type: 'boolean' } as const
  const value = { type: 'string' } as const
  const options = { mine: on, theirs: on, gone: value, head: value, reopen: on, 'max-file': value }
  const { 'max-file': maxFile, ...given } = parseArgs({ args: [...words], options, strict: false }).values
  return { ...given, ...(maxFile !== undefined && { maxFile }), state, json: true }
}

/** Tells the device process the progress until folder and run are the same for the first time; its log gets the troubles. */
function screenOf(folder: string, tell: Tell, { note }: Pick<CommandContext, 'note'>): LinkScreen {
  let isReady = false
  let toldAt = Number.NEGATIVE_INFINITY
  return {
    note(news) {
      if (news.is === 'trouble' || news.is === 'blind') note(`${folder}: ${news.why}\n`)
      if (isReady) return
      if (news.is === 'in-step') {
        isReady = true
        tell({ is: 'in-step', files: news.files })
      }
      if (news.is !== 'progress' || performance.now() - toldAt < progressMs) return
      toldAt = performance.now()
      tell({ is: 'progress', sent: news.sent, toSend: news.toSend })
    },
    say() {},
    whileAsking: (ask) => ask(),
    close() {},
  }
}
