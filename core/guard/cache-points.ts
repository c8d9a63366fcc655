import type { Message } from '../content/block.ts';
import type { ModelRequest } from '../model/model.ts';

const cachePoint = { cachePoint: { type: 'default' as const } };

/**
 * Cache points in the messages, where the model's setting wants them (`cacheTools` says so; those after tools and
 * system are already in the request). Two, at the ends of the last two user turns: the later one writes what the next
 * call reads, the earlier one is where this call finds what the last one wrote, however many blocks came between.
 * With tools and system that makes four, the most that the service takes.
 */
export function withCachePoints(request: ModelRequest): ModelRequest {
  if (!request.cacheTools) return request;
  const users = request.messages.flatMap((message, at) => (message.role === 'user' ? [at] : [])).slice(-2);
  if (users.length === 0) return request;
  const messages = request.messages.map(
    (message, at): Message =>
      users.includes(at) && !message.content.some((block) => 'cachePoint' in block)
        ? { role: message.role, content: [...message.content, cachePoint] }
        : message,
  );
  return { ...request, messages };
}
