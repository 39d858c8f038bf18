import {
  findSkill,
  planSkill,
  removeSkill,
  type SkillHere,
  skillName,
  writeSkill,
} from '@farhand/device/skill/install-skill'
import { skillPlaces } from '@farhand/device/skill/skill-places'
import { Trouble } from '@farhand/device/trouble/trouble'
import { withJsonErrors } from '../../command-line/errors/with-json-errors.ts'
import type { CommandContext } from '../../context/command-context.ts'
import { askYesNo } from '../../terminal/choice/ask-key.ts'
import { skillText } from './skill-text.ts'

export type SkillFlags = { for?: unknown; project?: unknown; force?: unknown; json?: unknown }

/** `farhand skill install`: puts the skill where agents look; asks before it replaces what the user has changed. */
export const installSkillCommand = (flags: SkillFlags, context: CommandContext) =>
  withJsonErrors(flags, context, async () => {
    const wanted = skillText()
    const planned = planSkill(placesFor(flags, context), wanted)
    const done = (one: SkillHere, what: string) => tell(one, what, flags, context)
    for (const one of planned) {
      if (one.step === 'none') done(one, 'is up to date')
      else if (one.step !== 'ask' || flags.force === true || (await mayReplace(one.file, context))) {
        writeSkill(one, wanted)
        done(one, { write: 'written', update: 'updated', ask: 'replaced' }[one.step])
      } else done(one, 'left as it is')
    }
    const left = planned.filter(({ step }) => step === 'ask')
    if (left.length > 0 && flags.force !== true && context.ask === null)
      throw new Trouble(
        'mustAsk',
        `${left.map(({ file }) => file).join(', ')}: was changed, or is not ours, and stays.`,
        `\`${context.called.farhand} skill show\` prints ours; with --force it takes the place of yours.`,
      )
    if (!flags.json)
      context.note(
        `The skill uses the tool \`cloud_agent\`: \`${context.called.farhand} mcp settings\` shows what to add to your agent's settings.\n`,
      )
  })

/** `farhand skill remove`: takes away what `install` has put there. */
export const removeSkillCommand = (flags: SkillFlags, context: CommandContext) =>
  withJsonErrors(flags, context, async () => {
    const found = findSkill(placesFor(flags, context))
    if (found.length === 0 && !flags.json) context.note(`The skill ${skillName} is not installed there.\n`)
    const left: string[] = []
    for (const one of found) {
      if (one.isUntouched || flags.force === true || (await mayRemove(one.file, context))) {
        removeSkill(one)
        tell(one, 'removed', flags, context)
      } else {
        left.push(one.file)
        tell(one, 'left as it is', flags, context)
      }
    }
    if (left.length > 0 && context.ask === null)
      throw new Trouble(
        'mustAsk',
        `${left.join(', ')}: was changed, or is not ours, and stays.`,
        'With --force it is removed all the same.',
      )
  })

/** `farhand skill show`: prints the skill, or as JSON also where it is installed. */
export const showSkillCommand = (flags: SkillFlags, context: CommandContext) =>
  withJsonErrors(flags, context, async () => {
    const text = skillText()
    if (!flags.json) return context.out(text)
    const installed = planSkill(placesFor(flags, context), text).filter(({ step }) => step !== 'write')
    const places = installed.map(({ file, agents, step }) => ({
      file,
      agents,
      state: { none: 'current', update: 'older', ask: 'changed' }[step as 'none' | 'update' | 'ask'],
    }))
    context.out(`${JSON.stringify({ name: skillName, text, installed: places })}\n`)
  })

const placesFor = (flags: SkillFlags, { cwd, home, env }: CommandContext) => {
  const named = Array.isArray(flags.for) ? flags.for.map(String) : []
  return skillPlaces(named, { home, env }, flags.project === true ? cwd : null)
}

function tell(
  { file, agents }: { file: string; agents: readonly string[] },
  state: string,
  flags: SkillFlags,
  context: CommandContext,
): void {
  if (flags.json) context.out(`${JSON.stringify({ event: 'skill', file, agents, state })}\n`)
  else context.out(`${file}  ${state}  (for ${agents.join(', ')})\n`)
}

const mayReplace = async (file: string, context: CommandContext) =>
  (await askYesNo(`${file} was changed, or is not ours. Replace it? [y/N] `, context)) ?? false

const mayRemove = async (file: string, context: CommandContext) =>
  (await askYesNo(`${file} was changed, or is not ours. Remove it? [y/N] `, context)) ?? false
