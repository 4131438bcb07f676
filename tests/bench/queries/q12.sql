SELECT bidder, window.start AS window_start, count(*) AS n
FROM bid
GROUP BY bidder, window(date_time, '10 seconds')
