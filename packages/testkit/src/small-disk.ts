import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const enter = ['--mount', '--map-root-user', 'sh', '-c']
const mount = (folder: string, size: string) => `mount -t tmpfs -o size=${size} none '${folder}'`

/** Whether this machine can make one: it needs Linux with user namespaces allowed. */
export const canMakeSmallDisk = spawnSync('unshare', [...enter, mount('/mnt', '1m')]).status === 0

/** A real file system of a few megabytes, which only processes that are started with `words` see at `folder`. */
export class SmallDisk {
  /** Its path for the processes started with `words`. */
  readonly folder: string
  /** The path of the same files for all other processes. */
  readonly outside: string
  readonly #keeper: ChildProcess

  private constructor(folder: string, keeper: ChildProcess) {
    this.folder = folder
    this.outside = `/proc/${keeper.pid}/root${folder}`
    this.#keeper = keeper
  }

  /** The caller ends what runs on it, then removes it. */
  static async make(size = '4m'): Promise<SmallDisk> {
    const folder = await mkdtemp(join(tmpdir(), 'farhand-small-disk-'))
    const keep = `${mount(folder, size)} && echo there && exec sleep 1000000`
    const keeper = spawn('unshare', [...enter, keep], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(keeper.stdout, 'data')
    return new SmallDisk(folder, keeper)
  }

  /** The command line that starts a command which sees the disk. */
  words(...command: string[]): string[] {
    const into = ['--target', String(this.#keeper.pid), '--user', '--mount', '--preserve-credentials']
    return ['nsenter', ...into, ...command]
  }

  /** Leaves no byte free. */
  async fill(): Promise<void> {
    for (const bytes of [64 * 1024, 4096]) {
      for (;;) {
        const isTaken = await writeFile(join(this.outside, 'filling'), Buffer.alloc(bytes), {
          flag: 'a',
        }).then(
          () => true,
          () => false,
        )
        if (!isTaken) break
      }
    }
  }

  async free(): Promise<void> {
    await rm(join(this.outside, 'filling'), { force: true })
  }

  async remove(): Promise<void> {
    const gone = once(this.#keeper, 'exit')
    this.#keeper.kill('SIGKILL')
    await gone
    await rm(this.folder, { recursive: true, force: true })
  }
}
