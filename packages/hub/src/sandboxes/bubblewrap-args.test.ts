import { describe, expect, it } from 'vitest'
import { bubblewrapArgs, isInside, withHidden } from './bubblewrap-args.ts'

const shown = (...paths: string[]) => paths.map((at) => ({ at, of: at }))
const inWords = (readable: string[], secret: string[]) =>
  withHidden(shown(...readable), secret).map((one) => ('hidden' in one ? `not ${one.at}` : one.at))

describe('the readable files of a sandbox', () => {
  it('are those that were named, and secrets among them are hidden', () => {
    expect(inWords(['/srv/app', '/opt/tool'], ['/srv/app/data'])).toEqual([
      '/srv/app',
      '/opt/tool',
      'not /srv/app/data',
    ])
    expect(inWords(['/srv/app'], ['/srv/application', '/var/data'])).toEqual(['/srv/app'])
  })

  it('may be inside a secret folder, and a secret inside them again', () => {
    expect(inWords(['/a', '/a/data/cache'], ['/a/data', '/a/data/keys', '/a/data/cache/keys'])).toEqual([
      '/a',
      'not /a/data',
      '/a/data/cache',
      'not /a/data/cache/keys',
    ])
  })

  it('do not include a secret inside the system’s folders', () => {
    const hidden = withHidden([], ['/usr/local/hub', '/var/hub'], shown('/usr'))
    expect(hidden).toEqual([{ at: '/usr/local/hub', hidden: true }])
    const around = withHidden(shown('/usr/local/hub/programs'), ['/usr/local/hub'], shown('/usr'))
    expect(around.map(({ at }) => at)).toEqual(['/usr/local/hub', '/usr/local/hub/programs'])
  })

  it('do not include a secret under any name that it would have inside', () => {
    const [linked, other] = [
      { at: '/home/ann/modules', of: '/srv/app' },
      { at: '/srv', of: '/srv' },
    ]
    expect(withHidden([linked, other], ['/srv/app/data'])).toEqual([
      other,
      { at: '/srv/app/data', hidden: true },
      linked,
      { at: '/home/ann/modules/data', hidden: true },
    ])
    expect(() => withHidden([linked], ['/srv/app'])).toThrow(/must not be read/)
  })

  it.each(['/', '/data', 'data'])('is not %s, if /data is secret', (place) => {
    expect(() => inWords([place], ['/data'])).toThrow(/must not be read/)
  })

  it('are told apart from paths that only begin with the same letters', () => {
    expect(isInside('/a/b/c', '/a')).toBe(true)
    expect(isInside('/a', '/a')).toBe(false)
    expect(isInside('/ab', '/a')).toBe(false)
    expect(isInside('/b', '/a')).toBe(false)
  })
})

describe('the arguments of bubblewrap', () => {
  const plan = {
    env: { HOME: '/home/agent' },
    system: shown('/usr'),
    readable: [...shown('/srv/app'), { at: '/srv/app/data', hidden: true as const }],
    disk: '/disk',
    socketFolder: '/door',
    sharedMemoryMb: 16,
  }

  it('have a separate network namespace only with sockets instead of a network', () => {
    const args = (network: 'full' | 'sockets-only') =>
      bubblewrapArgs({ ...plan, user: { is: 'mapped' }, network })
    expect(args('sockets-only')).toContain('--unshare-net')
    expect(args('full')).not.toContain('--unshare-net')
  })

  it('let the sandbox write only to its own places and shared memory, as any user', () => {
    for (const user of [{ is: 'mapped' }, { is: 'own', uid: 1879048192 }] as const) {
      const args = bubblewrapArgs({ ...plan, user, network: 'sockets-only' })
      const after = (flag: string) => args.flatMap((word, at) => (word === flag ? args[at + 1]! : []))
      expect(after('--bind')).toEqual(['/disk/tmp', '/disk/workspace', '/disk/state', '/disk/home'])
      expect(after('--tmpfs').filter((place) => !after('--remount-ro').includes(place))).toEqual(['/dev/shm'])
      expect(args.slice(-2)).toEqual(['--remount-ro', '/'])
      expect(after('--cap-drop')).toEqual(['ALL'])
    }
  })
})
