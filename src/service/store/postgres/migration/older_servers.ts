import type { Connection } from '../connection.ts'

/** The name of a server's connections. It says which schemas the server knows. */
export function serverName(schema: number): string {
  return `claviger (schema ${schema})`
}

/**
 * The addresses of connected servers that do not know a schema; empty when there are none. It is a help against
 * mistakes: a pool of connections in between, or an engine without this view, hides them.
 */
export async function olderServers({ client }: Connection, schema: number): Promise<readonly string[]> {
  const { rows } = await client.query<{ place: string }>(
    `select distinct coalesce(host(client_addr), 'this machine') as place from pg_stat_activity
      where datname = current_database() and application_name ~ '^claviger \\(schema [0-9]{1,6}\\)$'
        and substring(application_name from '[0-9]+')::int < $1
      order by place`,
    [schema],
  )
  return rows.map(({ place }) => place)
}
