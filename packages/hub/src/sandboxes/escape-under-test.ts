import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import process from 'node:process'
import { randomName } from '@farhand/protocol/wire/ids'
import { filterMachine } from './bubblewrap-mode.ts'
import { BubblewrapSandboxHost } from './bubblewrap-sandbox-host.ts'
import type { SandboxSpec } from './sandbox-host.ts'
import { refusedCalls } from './seccomp-filter.ts'
import { shellSpec } from './shell-spec-under-test.ts'

/** What an attacker inside tries, each under a name; `$HUB` and its like are set for it. */
const attempts = {
  'the data of the hub': 'cat $DATA/token $DATA/*',
  'the sandboxes beside it': 'ls $DATA/sandboxes; cat $VICTIM/* $VICTIM/workspace/*',
  'the home of the user': 'cat $HOME_OUTSIDE/.netrc; ls -A /root /home',
  'what lies around what it may read':
    'cat $DATA/readable/shown; ls -A $ROOT $CLONE $DATA $DATA/readable | xargs',
  'keys of the machine': 'ls -A /etc/ssl/private /etc/pki/tls/private',
  'other processes': 'cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | grep -ca "[v]ictim"',
  'the hub, by a signal': 'kill -9 $HUB',
  'everybody, by a signal': 'sleep 100 & kill -9 -1; echo done',
  'open files of others': 'ls -l /proc/self/fd | grep -vE " (0|1|2) -> | 3 -> /proc|total|/dev/null"',
  'files through their numbers': 'cd /proc/1; ls root/ fd cwd',
  'the settings of the kernel': 'ls /sys; echo x >/proc/sys/kernel/core_pattern; echo b >/proc/sysrq-trigger',
  devices: 'ls /dev/vda /dev/sda /dev/loop0 /dev/mem /dev/kmsg /dev/fuse',
  'writing elsewhere':
    'for place in / /usr /etc /dev /run /run/farhand $CLONE $DATA $DATA/readable /proc; do touch $place/new; done',
  'mounting, as a new user': 'unshare -Urm true; mount -t tmpfs tmpfs /tmp; mount -o remount,rw /usr',
  'becoming root':
    'su -c id; id -u | grep -x 0; grep -E "^Cap(Prm|Eff|Bnd|Amb)" /proc/self/status | grep -v 0000000000000000',
  'network devices': 'tail -n +3 /proc/net/dev | grep -v " lo:"; tail -n +2 /proc/net/route',
  'a service of the machine': `perl -MIO::Socket::INET -e '
    print IO::Socket::INET->new(PeerAddr => "127.0.0.1:$ENV{PORT}", Timeout => 5) ? "connected" : "$!\\n"'`,
  'a socket with no file': `perl -MIO::Socket::UNIX -e '
    print IO::Socket::UNIX->new(Peer => "\\0$ENV{ABSTRACT}") ? "connected" : "$!\\n"'`,
  'an address out there': `perl -MIO::Socket::INET -e '
    print IO::Socket::INET->new(PeerAddr => "192.0.2.1:80", Timeout => 5) ? "connected" : "$!\\n"'`,
  'a name out there': 'getent hosts example.org; echo $?',
  'the machine around a virtual one': `perl -e 'socket(my $s, 40, 1, 0) or print "$!\\n"'`,
  'letters on a terminal': `perl -e 'ioctl(STDIN, 0x5412, my $x = "x") or print "$!\\n"'`,
  'the memory of its parent': `perl -e '
    syscall($ENV{PTRACE}, 16, getppid, 0, 0) == 0 and print "attached"; print "$!\\n"'`,
  'calls that lead out': `perl -e '
    for (split / /, $ENV{CALLS}) { my ($name, $call) = split /=/;
      my $got = syscall($call + 0, 0, 0, 0, 0, 0); print "$name $got\\n" if $got != -1 || $! != ($name =~ /clone3|io_uring/ ? 38 : 1) }'`,
  'all of the disk': `for place in /workspace /state /home/agent /tmp; do
    dd if=/dev/zero of=$place/big bs=1M count=30 2>&1 | grep -o "No space left on device"; done; rm /*/big /home/agent/big`,
} as const

export type Attempt = keyof typeof attempts

/** Lets an attacker inside a sandbox of this host try all of it; gives back what was printed, and both secrets. */
export async function attemptAll(root: string) {
  const clone = path.join(root, 'clone')
  const data = path.join(clone, '.farhand')
  const secret = `hubs-own-${randomName()}`
  mkdirSync(clone)
  mkdirSync(path.join(data, 'sandboxes'), { recursive: true, mode: 0o700 })
  mkdirSync(path.join(data, 'readable', 'inner'), { recursive: true })
  mkdirSync(path.join(root, 'home'))
  for (const file of [path.join(data, 'token'), path.join(root, 'home', '.netrc')])
    writeFileSync(file, secret)
  writeFileSync(path.join(clone, 'program'), 'program\n')
  writeFileSync(path.join(data, 'readable', 'shown'), 'shown\n')
  const folder = path.join(data, 'sandboxes')
  const host = new BubblewrapSandboxHost({ folder, secret: [data] })
  const machine = filterMachine()!
  const service = createServer().listen(0, '127.0.0.1')
  const abstract = `farhand-${randomName()}`
  const victimSecret = `victim-${randomName()}`
  const victim = shellSpec(root, () => `TOKEN=${victimSecret}; echo $TOKEN >/workspace/file; sleep 1000`)
  const told = {
    ROOT: root,
    CLONE: clone,
    DATA: data,
    VICTIM: path.join(folder, victim.id),
    HUB: process.pid,
    HOME_OUTSIDE: path.join(root, 'home'),
    ABSTRACT: abstract,
    PTRACE: machine === 'x64' ? 101 : 117,
    CALLS: Object.entries(refusedCalls(machine))
      .map((call) => call.join('='))
      .join(' '),
  }
  const input = () =>
    [
      ...Object.entries({ ...told, PORT: (service.address() as { port: number }).port }).map(
        ([name, value]) => `export ${name}='${value}'`,
      ),
      ...Object.entries(attempts).map(([name, words]) => `echo '## ${name}'\n{ ${words}\n} 2>&1 </dev/null`),
    ].join('\n')
  const attacker = shellSpec(root, input, {
    network: 'sockets-only',
    readable: [clone, path.join(data, 'readable')],
    limits: { memoryMb: 512, processes: 100, cpus: 2, diskMb: 64 },
  } satisfies Partial<SandboxSpec>)
  const listener = createServer((socket) => socket.end('secret')).listen(`\0${abstract}`)
  try {
    await host.start(victim)
    await host.start(attacker)
    const { lastWords } = await host.ended(attacker.id)
    const victimLives = (await host.list()).some(({ id, isRunning }) => id === victim.id && isRunning)
    return { lastWords, secrets: [secret, victimSecret], victimLives, strength: await host.strength() }
  } finally {
    for (const { id } of [victim, attacker]) await host.remove(id)
    service.close()
    listener.close()
  }
}

/** What was printed under the name of an attempt. */
export function printed(lastWords: string, attempt: Attempt): string {
  const part = lastWords.split(/^## /m).find((text) => text.startsWith(`${attempt}\n`))
  if (part === undefined) throw new Error(`it was not tried: ${lastWords}`)
  return part.slice(attempt.length + 1)
}
