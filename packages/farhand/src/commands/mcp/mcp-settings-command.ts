import { placeOf } from '@farhand/device/bring/find-setup'
import { Trouble } from '@farhand/device/trouble/trouble'
import { withJsonErrors } from '../../command-line/errors/with-json-errors.ts'
import type { CommandContext } from '../../context/command-context.ts'
import { anyMcpSetting, type McpSetting, mcpSettings } from './mcp-settings.ts'

/** `farhand mcp settings`: prints what to add to the settings of an agent; it changes none of them itself. */
export const mcpSettingsCommand = (
  agent: string | undefined,
  flags: { json?: unknown },
  context: CommandContext,
) =>
  withJsonErrors(flags, context, async () => {
    const words = wordsOf(context)
    const all = mcpSettings(words)
    const chosen = agent === undefined ? all : all.filter((one) => one.agent === agent)
    if (chosen.length === 0)
      throw new Trouble(
        'usage',
        `The settings of ${agent} are not known.`,
        `Known are ${all.map((one) => one.agent).join(', ')}. Most others take:\n${anyMcpSetting(words)}`,
      )
    for (const one of chosen) {
      const file = placeOf(one.file, context)
      if (flags.json) context.out(`${JSON.stringify({ ...one, file })}\n`)
      else context.out(settingInWords(one, file))
    }
    if (agent === undefined && !flags.json) context.out(`Any other agent:\n${indented(anyMcpSetting(words))}`)
  })

function settingInWords({ agent, command, text }: McpSetting, file: string): string {
  const byCommand = command === null ? '' : `  ${command}\nor, `
  return `${agent}:\n${byCommand}in ${file}:\n${indented(text)}\n`
}

const indented = (text: string) => text.replace(/^(?=.)/gm, '  ')

/** An agent starts the server from other folders and with another PATH: only an installed command has a name there. */
function wordsOf({ called, self }: CommandContext): [string, ...string[]] {
  return called.farhand === 'farhand' ? ['farhand', 'mcp'] : [...self, 'mcp']
}
