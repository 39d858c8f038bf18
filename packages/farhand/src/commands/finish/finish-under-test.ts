import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { RepositoryUnderTest } from '@farhand/device/base/repository-under-test'
import { CommitsUnderTest } from '@farhand/device/commits/commits-under-test'
import type { HubProcess } from '@farhand/testkit/hub-process'
import type { CommandContext } from '../../context/command-context.ts'
import { type Ran, runHere } from '../../context/command-context-under-test.ts'

/** A laptop with a remote, a run in a sandbox, and calls of the commands. */
export class FinishUnderTest {
  readonly on: CommitsUnderTest
  readonly remote: string

  private constructor(on: CommitsUnderTest, remote: string) {
    this.on = on
    this.remote = remote
  }

  static async begin(
    hub: HubProcess,
    prepare?: (laptop: RepositoryUnderTest) => void,
  ): Promise<FinishUnderTest> {
    const on = await CommitsUnderTest.on(hub, prepare)
    const { laptop } = on
    const remote = path.join(laptop.home, 'remote.git')
    laptop.gitIn(laptop.home, 'init', '--quiet', '--bare', '--initial-branch=main', remote)
    laptop.git('remote', 'add', 'origin', remote)
    laptop.git('push', '--quiet', 'origin', 'main')
    return new FinishUnderTest(on, remote)
  }

  /** Calls a command about this run in the laptop's folder. */
  call(words: readonly string[], given: Partial<CommandContext> = {}): Promise<Ran> {
    const { laptop, run } = this.on
    const [name = '', ...rest] = words
    const { url, token } = run.hub
    const access = ['--state', path.join(laptop.home, 'state'), '--hub', url, '--token', token ?? '']
    return runHere([name, run.at.run, ...rest, ...access], { env: laptop.env, cwd: laptop.folder, ...given })
  }

  async json(...words: string[]) {
    return JSON.parse((await this.call([...words, '--json'])).out)
  }

  /** What the remote has of a branch: its commits, newest first. */
  log(branch: string): string[] {
    return this.on.laptop.gitIn(this.remote, 'log', '--format=%s', branch).split('\n')
  }

  /** Installs a program on this laptop; `said` is its shell script. */
  program(name: string, said: string): void {
    const { laptop } = this.on
    const bin = path.join(laptop.home, 'bin')
    mkdirSync(bin, { recursive: true })
    writeFileSync(path.join(bin, name), `#!/bin/sh\n${said}\n`)
    chmodSync(path.join(bin, name), 0o755)
    if (!laptop.env.PATH?.startsWith(bin)) laptop.env.PATH = `${bin}:${laptop.env.PATH}`
  }
}
