import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { runHere, testContext } from '../../context/command-context-under-test.ts'
import { commandFor } from '../run-command.ts'

const called = { farhand: 'farhand', hub: 'farhand hub' }
const farhand = commandFor(testContext({ called }))

/** Every command that is shown to people, with the words that call it. */
function all(command: Command, words: readonly string[] = []): { words: string[]; command: Command }[] {
  const shown = command
    .createHelp()
    .visibleCommands(command)
    .filter((one) => one.name() !== 'help')
  return shown.flatMap((one) => {
    const path = [...words, one.name()]
    return [{ words: path, command: one }, ...all(one, path)]
  })
}

const widest = { prose: 100, example: 120 }

describe.each(all(farhand).map((one) => [one.words.join(' '), one] as const))('farhand %s', (name, one) => {
  it('shows an example of itself, and fits a terminal', async () => {
    const { out } = await runHere([...one.words, '--help'], { called })
    const [usage = '', ...rest] = out.split('\n')
    expect(usage).toMatch(/^Usage: /)
    expect(rest.filter((line) => new RegExp(`^  .*farhand ${name}( |$)`).test(line))).not.toEqual([])
    const isTooWide = (line: string) =>
      line.length > (line.startsWith(' ') ? widest.example : widest.prose) || /^[a-z]+$/.test(line)
    expect(out.split('\n').filter(isTooWide)).toEqual([])
  })

  it('says what it does in a few words', () => {
    const says = one.command.summary() || one.command.description()
    expect(says).toMatch(/^\S.{5,}/)
    expect((says.split('\n')[0] ?? '').length).toBeLessThanOrEqual(80)
  })

  it('speaks JSON, unless it only leads to others', () => {
    if (one.command.commands.length > 0 && name !== 'hub') return
    expect(one.command.options.map(({ long }) => long)).toContain('--json')
  })
})
