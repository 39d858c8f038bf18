import { describe, expect, it } from 'vitest'
import { cgroupParents } from './cgroup-parents.ts'

const v1 = (controller: string, root = '/') =>
  `30 24 0:26 ${root} /sys/fs/cgroup/${controller} rw,relatime - cgroup cgroup rw,${controller}`
const v2 = (point: string, root = '/') => `31 24 0:27 ${root} ${point} rw,relatime - cgroup2 cgroup2 rw`

describe('control groups of a sandbox', () => {
  it('are below the one of the hub, where there is one tree', () => {
    expect(cgroupParents('0::/user.slice/hub.service\n', v2('/sys/fs/cgroup'))).toEqual({
      version: 2,
      parent: '/sys/fs/cgroup/user.slice/hub.service',
      top: '/sys/fs/cgroup',
    })
    expect(cgroupParents('0::/\n', v2('/sys/fs/cgroup'))).toEqual({
      version: 2,
      parent: '/sys/fs/cgroup',
      top: '/sys/fs/cgroup',
    })
  })

  it('are below those of the hub, each in its tree, where there are several', () => {
    const own = '4:memory:/a/b\n3:cpu,cpuacct:/\n2:pids:/c\n0::/\n'
    const mounts = [v1('memory'), v1('cpu,cpuacct'), v1('pids'), v2('/sys/fs/cgroup/unified')].join('\n')
    expect(cgroupParents(own, mounts)).toEqual({
      version: 1,
      memory: '/sys/fs/cgroup/memory/a/b',
      pids: '/sys/fs/cgroup/pids/c',
      cpu: '/sys/fs/cgroup/cpu,cpuacct',
    })
  })

  it('are found where a container sees a part of the tree as all of it', () => {
    expect(cgroupParents('0::/box/1/hub\n', v2('/sys/fs/cgroup', '/box/1'))).toEqual({
      version: 2,
      parent: '/sys/fs/cgroup/hub',
      top: '/sys/fs/cgroup',
    })
    expect(cgroupParents('0::/box/12\n', v2('/sys/fs/cgroup', '/box/1'))).toBeNull()
  })

  it('are not to be had where none are mounted', () => {
    expect(cgroupParents('0::/\n', '')).toBeNull()
    expect(cgroupParents('', '')).toBeNull()
  })
})
