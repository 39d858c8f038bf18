/** Says who runs it: the whole of `/proc/<pid>/stat`, or where there is none, its number and when it began. */
const whoAmI =
  '{ read -r line </proc/self/stat && echo "$line" || echo "$$ $(LC_ALL=C ps -o lstart= -p $$)"; } 2>/dev/null'

/**
 * The parent of a program in a sandbox, for `sh -c` with a folder and a command. Its standard input and its file
 * descriptors from 3 on are the command's; it tells in the folder who it is, how the command ended, and what was
 * printed last. It ends with the command, also if something that was left running still prints, but not before it is known
 * who keeps the last words: whoever ends all that is left would end that one too soon. And all of it ends if the folder is
 * no more, since nobody could find it then.
 */
export const supervisorScript = `
set -e
folder=$1
shift
${whoAmI} >"$folder/supervisor"
(
  while sleep 30; do
    [ -e "$folder" ] || [ -e "$folder.gone" ] || kill -s KILL -- -$$
  done
) >/dev/null 2>&1 3>&- &
watcher=$!
{
  set +e
  "$@" 2>&1
  echo $? >"$folder/code"
  looks=0
  until [ -s "$folder/words-keeper" ] || [ $looks -ge 600 ]; do
    looks=$((looks + 1))
    sleep 0.05
  done
  kill -9 $watcher $$
} | exec sh -c '
  ${whoAmI} >"$1/words-keeper"
  exec tail -c 16384 >"$1/last-words" 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
' farhand-last-words "$folder"
`

/**
 * Becomes a program, for \`sh -c\` with its working folder, the program and its arguments: the last thing to happen
 * before that is a word on file descriptor 3.
 */
export const beginScript = `
cd "$1" || exit 126
shift
command -v "$1" >/dev/null || { echo "$1: there is no such program" >&2; exit 127; }
echo begun >&3
exec "$@" 3>&-
`
