import { readdir, readFile, readlink } from 'node:fs/promises'

/** Who listens on a port: "nginx (process 812)", or null where the system does not tell. */
export async function portHolder(port: number): Promise<string | null> {
  try {
    const tables = await Promise.all(
      ['/proc/net/tcp', '/proc/net/tcp6'].map((file) => readFile(file, 'utf8').catch(() => '')),
    )
    const inodes = new Set(tables.flatMap((table) => listeningInodes(table, port)))
    for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
      if (await holdsSocket(pid, inodes))
        return `${(await readFile(`/proc/${pid}/comm`, 'utf8')).trim()} (process ${pid})`
    }
  } catch {
    // Not Linux, or not ours to see. The port is taken either way.
  }
  return null
}

/** The sockets that listen on this port, in a table as Linux prints it in /proc/net/tcp. */
function listeningInodes(table: string, port: number): string[] {
  const rows = table
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
  const hexPort = port.toString(16).toUpperCase().padStart(4, '0')
  return rows.flatMap((row) => (row[1]?.endsWith(`:${hexPort}`) && row[3] === '0A' && row[9] ? [row[9]] : []))
}

async function holdsSocket(pid: string, inodes: Set<string>): Promise<boolean> {
  const open = await readdir(`/proc/${pid}/fd`).catch(() => [])
  for (const fd of open) {
    const target = await readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')
    if (target.startsWith('socket:[') && inodes.has(target.slice(8, -1))) return true
  }
  return false
}
