import { type FileFault, type FileVerdict, ownDirectMessage } from '../../core/model/subscription-file.ts';
import { describeCorrection, describeMistake, describeTarget } from '../text/copy.ts';
import { grouped } from '../text/grouped.ts';
import { channel, counted, joined, type Phrase, plainly, say, sentence, typed } from '../text/phrase.ts';

/** Says what is wrong with a line of a file, and what would be right. */
export function faultWords(fault: FileFault): Phrase {
  return say`Line ${fault.line}: ${why(fault)}`;
}

function why(fault: FileFault): Phrase {
  switch (fault.kind) {
    case 'shape':
      return say`I expected ${sentence(fault.expected)}.`;
    case 'key':
      return say`I don’t know ${typed(fault.key)} here. I expected ${joined(
        fault.known.map((key) => [typed(key)]),
        ', ',
        ' or ',
      )}.`;
    case 'team':
      return say`${typed(fault.value)} isn’t the id of a workspace. Use an id like ${typed('T0123ABCD')}.`;
    case 'channel':
      return say`${typed(fault.value)} isn’t the id of a channel. Use an id like ${typed('C0123ABCD')}, or ${typed(ownDirectMessage)} for a direct message.`;
    case 'owner':
      return say`${typed(fault.value)} isn’t the id of a Slack user. Use an id like ${typed('U0123ABCD')}.`;
    case 'zone':
      return say`${typed(fault.value)} isn’t a time zone. Use a name like ${typed('Europe/Stockholm')}.`;
    case 'words':
      return misunderstood(fault.mistake);
    case 'kind unknown':
      return say`${plainly(fault.id)} could be a project or a session. Write ${typed(`project ${fault.id}`)} or ${typed(`session ${fault.id}`)}.`;
    case 'quote':
      return say`a quotation mark isn’t closed. Put one at each end of the text.`;
    case 'too much':
      return say`this and what is below it is too much to import at once. Import it by itself.`;
    case 'no owner':
      return say`it has no owner. Add ${typed('owner: U0123ABCD')}.`;
    case 'twice':
      return say`this is the same channel and resource as in line ${fault.firstLine}. Keep one of them.`;
    case 'other workspace':
      return say`this is for workspace ${typed(fault.teamId)}, not for this one.`;
    case 'not installed':
      return say`Plancast isn’t installed in workspace ${typed(fault.teamId)}.`;
    case 'project':
      return say`project ${plainly(fault.projectId)} isn’t on the list of allowed projects. Change it in the settings.`;
    case 'not in channel':
      return say`you aren’t in ${channel(fault.channelId)}, or I’m not. Join it and invite me first.`;
    case 'cannot post':
      return say`I can’t post in ${channel(fault.channelId)}. Check that I’m in it and allowed to post, and that it isn’t archived.`;
    case 'shared channel':
      return say`the settings don’t allow subscriptions in channels shared with other organizations.`;
  }
}

function misunderstood(mistake: (FileFault & { kind: 'words' })['mistake']): Phrase {
  const example = mistake.example.replace(/^\S*subscribe /, '');
  const instead =
    mistake.correction === null
      ? say`For example: ${typed(example)}`
      : describeCorrection({ ...mistake, example });
  return say`${describeMistake(mistake)}. I expected ${sentence(mistake.expected)}. ${instead}`;
}

/** Summarizes what an import would do: "Adds 12 subscriptions and changes 2. 3 are already there. 1 line can’t be imported." */
export function planSummary(verdicts: readonly FileVerdict[]): Phrase {
  const count = (kind: FileVerdict['kind']) => verdicts.filter((verdict) => verdict.kind === kind).length;
  const [adds, changes, same, refused] = [count('add'), count('change'), count('same'), count('refused')];
  const parts: string[] = [
    ...(adds + changes === 0 ? ['Nothing to import.'] : []),
    ...(adds === 0 && changes > 0 ? [`Changes ${counted(changes, 'subscription')}.`] : []),
    ...(adds > 0
      ? [`Adds ${counted(adds, 'subscription')}${changes === 0 ? '' : ` and changes ${grouped(changes)}`}.`]
      : []),
    ...(same === 0 ? [] : [`${grouped(same)} ${same === 1 ? 'is' : 'are'} already there.`]),
    ...(refused === 0 ? [] : [`${counted(refused, 'line')} can’t be imported.`]),
  ];
  return [parts.join(' ')];
}

/** Says what importing a line would do: "Line 4: adds project 412-873-550 and its contents to #plans". */
export function verdictWords(verdict: FileVerdict): Phrase {
  if (verdict.kind === 'refused') return faultWords(verdict.fault);
  const { kind, row } = verdict;
  const { target, comprehensive, name = null } = row.request;
  const what = describeTarget({ target, comprehensive, name });
  const where: Phrase = row.channelId === ownDirectMessage ? say`a direct message` : [channel(row.channelId)];
  const line = [`Line ${row.line}: `];
  if (kind === 'add') return say`${line}adds ${what} to ${where}`;
  return kind === 'change'
    ? say`${line}changes ${what} in ${where}`
    : say`${line}${where} already has ${what}`;
}
