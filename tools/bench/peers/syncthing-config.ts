export type SyncthingNode = { home: string; id: string; port: number; guiPort: number }

export const apiKey = 'bench'

/** A whole configuration: one folder, one other device, and nothing that leaves this machine. */
export function syncthingConfig(own: SyncthingNode, other: SyncthingNode, folder: string): string {
  const device = ({ id, port }: SyncthingNode) =>
    `<device id="${id}" name="${port}"><address>tcp://127.0.0.1:${port}</address></device>`
  const off = [
    'globalAnnounceEnabled',
    'localAnnounceEnabled',
    'relaysEnabled',
    'natEnabled',
    'startBrowser',
    'crashReportingEnabled',
    'setLowPriority',
  ]
  return `<configuration version="36">
<folder id="bench" path="${folder}" type="sendreceive" rescanIntervalS="3600" fsWatcherEnabled="true" fsWatcherDelayS="0.01">
<device id="${own.id}"/><device id="${other.id}"/><minDiskFree unit="%">0</minDiskFree>
</folder>
${device(own)}${device(other)}
<gui enabled="true" tls="false"><address>127.0.0.1:${own.guiPort}</address><apikey>${apiKey}</apikey></gui>
<options>
<listenAddress>tcp://127.0.0.1:${own.port}</listenAddress>
${off.map((name) => `<${name}>false</${name}>`).join('\n')}
<urAccepted>-1</urAccepted><autoUpgradeIntervalH>0</autoUpgradeIntervalH><reconnectionIntervalS>1</reconnectionIntervalS>
<stunKeepaliveStartS>0</stunKeepaliveStartS>
</options>
</configuration>
`
}
