import { askDevice } from '@farhand/device/device-process/call-device'
import { deviceLog } from '@farhand/device/device-process/device-folder'
import { rememberAgent } from '@farhand/device/installed-agents/folder-agent'
import { usableAgent } from '@farhand/device/installed-agents/local-agents'
import { NotedRequests } from '@farhand/device/request-serving/noted-requests'
import {
  QuestionRule,
  readServeSettings,
  writeServeSettings,
} from '@farhand/device/request-settings/serve-settings'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { withJsonErrors } from '../command-line/errors/with-json-errors.ts'
import type { CommandContext } from '../context/command-context.ts'
import { chooseAgent } from './agents/choose-agent.ts'
import { hubAccess } from './find-run/hub-access.ts'
import type { ReachFlags } from './find-run/reach-run.ts'
import { ensureUserDevice } from './link/ensure-user-device.ts'
import { folderToLink } from './link/folder-to-link.ts'

export type HereFlags = ReachFlags & Readonly<Partial<Record<'agent' | 'questions', unknown>>>

/** `farhand requests on`: allows requests to be answered here, by an agent in one folder. */
export const requestsOnCommand = (folder: string | undefined, flags: HereFlags, context: CommandContext) =>
  withJsonErrors(flags, context, async () => {
    const place = stateFolderPath(flags.state, context)
    const state = new StateFolder(place)
    const { farhand } = context.called
    const said = QuestionRule.safeParse(flags.questions ?? 'ask')
    if (!said.success)
      throw new Trouble(
        'usage',
        `--questions takes ${QuestionRule.options.join(', ')}.`,
        'ask leaves them to you.',
      )
    const workspace = await folderToLink(folder ?? '.', place, context)
    const choice = { state, folder: workspace, isFar: false, json: flags.json === true }
    const agent = usableAgent(await chooseAgent(flags.agent, choice, context), place, context).entry.id
    const { url } = await hubAccess(flags, state, context, { folder: workspace })
    if (state.tokens.boundAs(url) === null)
      throw new Trouble(
        'usage',
        `This computer is not bound to ${url}, so the hub cannot give it requests.`,
        `Bind it first: ${farhand} bind ${url}`,
      )
    const settings = { isOn: true, url, workspace, agent, questions: said.data }
    writeServeSettings(state.root, settings)
    rememberAgent(state, workspace, agent)
    if ((await ensureUserDevice(state.root, context)) === null)
      throw new Trouble(
        'failed',
        'The process that answers requests did not start in time.',
        `\`${farhand} requests status\` starts it again; ${deviceLog(state.root)} says what it did.`,
      )
    if (flags.json) return context.out(`${JSON.stringify({ event: 'on', ...settings })}\n`)
    context.out(`${agent} answers your requests here, in ${workspace}, with your own permissions.\n`)
    context.note(`${inWords[settings.questions]} \`${farhand} requests off\` ends it.\n`)
  })

const inWords = {
  ask: 'What it asks comes to you, in the app and in every terminal.',
  deny: 'Permissions it asks for are refused.',
  allow: 'Permissions it asks for are given without asking you.',
}

/** `farhand requests off`: has requests answered here no more; a run that works here is stopped and waits. */
export const requestsOffCommand = (flags: HereFlags, context: CommandContext) =>
  withJsonErrors(flags, context, async () => {
    const state = new StateFolder(stateFolderPath(flags.state, context))
    const settings = readServeSettings(state.root)
    if (settings) writeServeSettings(state.root, { ...settings, isOn: false })
    await askDevice(state.root, { ask: 'look' })
    if (flags.json) return context.out(`${JSON.stringify({ event: 'off' })}\n`)
    context.out('No request is answered here. The hub keeps what needs this computer for up to 7 days.\n')
  })

/** `farhand requests status`: says whether requests are answered here, how, and how many are open. */
export const requestsStatusCommand = (flags: HereFlags, context: CommandContext) =>
  withJsonErrors(flags, context, async () => {
    const state = new StateFolder(stateFolderPath(flags.state, context))
    const settings = readServeSettings(state.root)
    const device = await askDevice(state.root, { ask: 'hello' })
    const hubUrl = settings?.url ?? ''
    const bound = { url: hubUrl, device: state.tokens.boundAs(hubUrl)?.device ?? '' }
    const open = new NotedRequests(state.root, bound).open().length
    if (flags.json)
      return context.out(
        `${JSON.stringify({ isOn: false, ...settings, open, pid: settings?.isOn ? (device?.pid ?? null) : null })}\n`,
      )
    const { farhand } = context.called
    if (!settings?.isOn)
      return context.out(`Requests are not answered here. \`${farhand} requests on <folder>\` allows it.\n`)
    const { agent, workspace, url, questions } = settings
    context.out(
      `${agent} answers requests of ${url} in ${workspace}; questions: ${questions}. Open: ${open}.\n`,
    )
    if (device) return context.note(`Process ${device.pid}; it logs to ${deviceLog(state.root)}.\n`)
    context.note('The device process does not run; it is started now.\n')
    await ensureUserDevice(state.root, context)
  })
