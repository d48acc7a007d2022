/** SQL that makes a database one of the third schema, which is from before the transparency log. */

export const thirdSchema = 'delete from migrations where number > 3'

/** The tables of the migrations behind the third one. */
export const undone = ['webhook_messages', 'notices', 'notice_turns', 'transparency_logs', 'log_bundles', 'log_index']
  .map((table) => `drop table ${table};`)
  .concat('drop index outbox_turns')
  .join(' ')
