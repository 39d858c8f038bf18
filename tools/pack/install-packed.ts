import { execFile } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { npmPatience } from '../npm/npm-patience.mjs'

type Failed = { stderr: string; killed?: boolean }

/** The home of a new user who has just installed the command. */
export type CleanPlace = {
  home: string
  prefix: string
  /** The command itself. */
  command: string
  env: Readonly<{ PATH: string; HOME: string; TMPDIR: string }>
}

// What npm says where there is no network, or no registry that has what it asked for, or one that broke off.
const noRegistry =
  /ENOTFOUND|ECONN|EAI_AGAIN|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|EPIPE|ERR_SOCKET|ERR_STREAM|EINTEGRITY|ETARGET|CERT|E40[134]|E429|E5\d\d|network/
// Where there is no registry this has to be known soon.
export const packPatience = [
  ...npmPatience({ retries: 1, longestMs: 2000, answerMs: 20_000 }),
  '--prefer-offline',
]

export function cleanPlace(place: string): CleanPlace {
  const [home, prefix] = [path.join(place, 'home'), path.join(place, 'prefix')]
  for (const folder of [home, prefix]) mkdirSync(folder, { recursive: true })
  const bin = path.join(prefix, 'bin')
  const env = { PATH: `${bin}:${process.env.PATH}`, HOME: home, TMPDIR: tmpdir() }
  return { home, prefix, command: path.join(bin, 'farhand'), env }
}

/** How this machine reaches a registry: whom it trusts, and by which way it goes. */
const wayOut = /^(?:NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR)|(?:HTTPS?|NO)_PROXY|npm_config_registry)$/i

/**
 * Installs an archive there as people do; only the registry and the cache of npm are those of this machine. Gives back why
 * that cannot be done here, in words, or null.
 */
export async function installPacked(file: string, { prefix, home, env }: CleanPlace): Promise<string | null> {
  const { npm_config_userconfig = path.join(homedir(), '.npmrc') } = process.env
  const { npm_config_cache = path.join(homedir(), '.npm') } = process.env
  const words = ['install', '--global', '--prefix', prefix, '--no-audit', '--no-fund', ...packPatience, file]
  const reached = Object.fromEntries(Object.entries(process.env).filter(([name]) => wayOut.test(name)))
  const options = {
    env: { ...env, ...reached, npm_config_userconfig, npm_config_cache },
    cwd: home,
    timeout: 100_000,
  }
  // A registry that fails once has it the next time; one that takes minutes for nothing will do so again.
  let refused = await tryOnce(words, options, prefix)
  if (refused && !refused.isSlow) refused = await tryOnce(words, options, prefix)
  return refused?.why ?? null
}

type Refused = { why: string; isSlow: boolean }
type Options = { env: Record<string, string | undefined>; cwd: string; timeout: number }

async function tryOnce(words: string[], options: Options, prefix: string): Promise<Refused | null> {
  try {
    await promisify(execFile)('npm', words, options)
  } catch (error) {
    const { killed = false, stderr } = error as Failed
    if (!killed && !noRegistry.test(stderr)) throw error
    const said = stderr.trim().split('\n')[0] || `it took longer than ${options.timeout / 1000} s`
    return { why: `npm cannot install here: ${said}`, isSlow: killed }
  }
  // Binaries that npm cannot get it leaves out, and says that all is well.
  const binaries = path.join(prefix, 'lib/node_modules/farhand/node_modules/@libsql')
  if (existsSync(binaries)) return null
  return { why: 'npm cannot get the binaries that are installed with it', isSlow: false }
}
