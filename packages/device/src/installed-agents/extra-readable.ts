import { existsSync } from 'node:fs'
import path from 'node:path'
import type { AgentEntry } from '@farhand/runner/catalogue/agent-entry'
import { type StatePlace, stateFolderPath } from '../state/state-folder-path.ts'
import { Trouble } from '../trouble/trouble.ts'
import { findProgram, realPlace } from './program-paths.ts'

/**
 * The files and folders that an entry of agents.json lets its agent read in a sandbox, by their real paths; for those in the
 * user's home also their path in the agent's home. Every user who may use the agent can read them, so a whole home
 * or the state folder is refused.
 */
export function extraReadable(
  { name, readable }: Pick<AgentEntry, 'name' | 'readable'>,
  user: StatePlace,
): { place: string; inHome: string | null }[] {
  const home = realPlace(user.home)
  const state = realPlace(stateFolderPath(undefined, user))
  return readable.map((said) => {
    const inHome = said.startsWith('~/') ? path.normalize(said.slice(2)) : null
    const place = path.normalize(inHome === null ? said : path.join(user.home, inHome))
    if (!existsSync(place))
      throw wrong(name, said, 'is not there', 'Correct "readable" of that agent in agents.json.')
    const real = realPlace(place).replace(/(.)\/+$/, '$1')
    if (isWithin(home, real) || isWithin(state, real))
      throw wrong(
        name,
        said,
        'holds all of a home or of the state folder',
        'Name the folders in it that it needs.',
      )
    if (isWithin(real, state))
      throw wrong(name, said, 'lies in the state folder, where keys are', 'Put it somewhere else.')
    return { place: real, inHome: inHome === null || inHome.startsWith('..') ? null : inHome }
  })
}

/** The other programs that an agent starts by name, and their real paths. */
export function otherPrograms(
  { name, programs, install }: Pick<AgentEntry, 'name' | 'programs' | 'install'>,
  found: string,
): { name: string; place: string }[] {
  return programs.map((program) => {
    const place = findProgram(program, found)
    if (place !== null) return { name: program, place: realPlace(place) }
    throw new Trouble(
      'failed',
      `${name} also needs the program ${JSON.stringify(program)}, and it is not here.`,
      install ? `Install it: ${install}` : 'Put it on the PATH of the hub.',
    )
  })
}

const isWithin = (place: string, folder: string) =>
  place === folder || place.startsWith(folder === '/' ? '/' : `${folder}/`)

const wrong = (agent: string, said: string, why: string, nextStep: string) =>
  new Trouble('failed', `${agent} cannot be given ${said} to read in a sandbox: it ${why}.`, nextStep)
