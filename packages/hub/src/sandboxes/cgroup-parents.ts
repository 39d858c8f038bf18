/**
 * The control groups below which those of a sandbox can be made: the hub's own. `top` is the highest visible group.
 */
export type CgroupParents =
  | { version: 2; parent: string; top: string }
  | { version: 1; memory: string; pids: string; cpu: string | null }

type Mount = { root: string; point: string; type: string; options: string[] }

/**
 * Finds them in `/proc/self/cgroup` and `/proc/self/mountinfo`; null if groups cannot count memory and processes here. Whether this
 * process may create groups is not checked.
 */
export function cgroupParents(ownGroups: string, mountinfo: string): CgroupParents | null {
  const own = ownGroups.split('\n').flatMap((line) => {
    const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? []
    return controllers === undefined || path === undefined
      ? []
      : [{ controllers: controllers.split(','), path }]
  })
  const mounts = mountinfo.split('\n').flatMap((line) => readMount(line) ?? [])
  const first = (controller: string) => {
    const group = own.find(({ controllers }) => controllers.includes(controller))
    const mount = mounts.find(({ type, options }) => type === 'cgroup' && options.includes(controller))
    return group && mount ? below(mount, group.path) : null
  }
  const memory = first('memory')
  const pids = first('pids')
  if (memory && pids) return { version: 1, memory, pids, cpu: first('cpu') }
  const group = own.find(({ controllers }) => controllers.length === 1 && controllers[0] === '')
  const mount = mounts.find(({ type }) => type === 'cgroup2')
  const parent = group && mount ? below(mount, group.path) : null
  return parent === null || !mount ? null : { version: 2, parent, top: mount.point }
}

function readMount(line: string): Mount | null {
  const [before, after] = line.split(' - ')
  const [, , , root, point] = before?.split(' ') ?? []
  const [type, , options] = after?.split(' ') ?? []
  return root && point && type ? { root, point, type, options: options?.split(',') ?? [] } : null
}

/** The folder of a group if the mounted part of the tree contains it; else null. */
function below({ root, point }: Mount, group: string): string | null {
  if (root === '/') return group === '/' ? point : `${point}${group}`
  if (group === root) return point
  return group.startsWith(`${root}/`) ? `${point}${group.slice(root.length)}` : null
}
