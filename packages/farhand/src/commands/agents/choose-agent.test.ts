import { rememberAgent } from '@farhand/device/installed-agents/folder-agent'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { describe, expect, it } from 'vitest'
import { testContext } from '../../context/command-context-under-test.ts'
import { temporaryFolder } from '../../farhand-under-test.ts'
import { chooseAgent } from './choose-agent.ts'

const env = { PATH: '/nowhere' }

async function newChoice() {
  const state = new StateFolder(await temporaryFolder())
  return { state, folder: '/some/project', isFar: true, json: false }
}

/** A user who types these, one after the other. */
function typing(...lines: string[]) {
  return testContext({ env, ask: async () => lines.shift() ?? '' })
}

describe('a user who names no agent', () => {
  it('chooses from those that there are, by number or by name, and is asked again for what is neither', async () => {
    const choice = await newChoice()
    const context = typing('7', 'rehearsal')
    expect(await chooseAgent(undefined, choice, context)).toBe('rehearsal')
    expect(context.ran().notes).toMatch(
      /Which agent\?\n {2}1 {2}builtin .*, once ANTHROPIC_API_KEY or the like is set\n› 2 {2}rehearsal /,
    )
    expect(await chooseAgent(undefined, choice, typing('2'))).toBe('rehearsal')
    await expect(chooseAgent(undefined, choice, typing('1'))).rejects.toThrow('cannot work yet')
    expect(await chooseAgent(undefined, choice, typing(''))).toBe('rehearsal')
    await expect(chooseAgent(undefined, choice, typing('q'))).rejects.toThrow('nothing was started')
  })

  it('is told apart by their shell if they leave the list, or end the command there with Ctrl-C', async () => {
    const choice = await newChoice()
    await expect(chooseAgent(undefined, choice, typing('q'))).rejects.toMatchObject({ exit: 'usage' })
    const stop = new AbortController()
    const ask = async () => {
      stop.abort()
      throw stop.signal.reason
    }
    const interrupted = testContext({ env, ask, stop: stop.signal })
    await expect(chooseAgent(undefined, choice, interrupted)).rejects.toMatchObject({ exit: 'interrupted' })
  })

  it('is told which there are if there is no terminal to ask at', async () => {
    const choice = await newChoice()
    await expect(chooseAgent(undefined, choice, testContext({ env }))).rejects.toMatchObject({
      exit: 'usage',
      message: 'Which agent? Here are builtin (not set up), rehearsal.',
      nextStep: expect.stringContaining('--agent'),
    })
  })

  it('gets the one of last time in this folder, and hears which that is', async () => {
    const choice = await newChoice()
    rememberAgent(choice.state, choice.folder, 'rehearsal')
    const context = testContext({ env })
    expect(await chooseAgent(undefined, choice, context)).toBe('rehearsal')
    expect(context.ran().notes).toBe('The agent is rehearsal, as last time.\n')
    await expect(
      chooseAgent(undefined, { ...choice, folder: '/other' }, testContext({ env })),
    ).rejects.toThrow()
  })
})
