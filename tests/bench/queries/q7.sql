-- mode: changelog
SELECT b.auction, b.price, b.bidder, b.date_time, b.extra
FROM bid b JOIN (
  SELECT max(price) AS mp, window.start AS ws FROM bid GROUP BY window(date_time, '10 seconds')
) m ON b.price = m.mp AND window(b.date_time, '10 seconds').start = m.ws
